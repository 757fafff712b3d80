import { randomBytes } from 'node:crypto'
import type { Pool } from '@/db/client'
import { installation } from '@/db/schema'
import { changeBusiness } from '@/lib/businesses/change-business'
import { createBusiness } from '@/lib/businesses/create-business'
import { getBusiness, listBusinesses } from '@/lib/businesses/queries'
import { setPassword } from '@/lib/businesses/set-password'
import { importProducts } from '@/lib/catalog/import-products'
import { type Clock, systemClock } from '@/lib/clock'
import type { Context } from '@/lib/context'
import { createKey, SCOPES } from '@/lib/keys/create-key'
import { cancelOrder } from '@/lib/orders/cancel-order'
import { changeOrder } from '@/lib/orders/change-order'
import { newOrder } from '@/lib/orders/contract'
import { createOrder } from '@/lib/orders/create-order'
import { demoOrders, demoProducts } from './demo-data'

const OWNER = 'owner@demo.example'
const SLUG = 'demo'

/**
 * On an empty embedded database: a business with products, an integration and a few past orders, so that everything can
 * be tried at once.
 * @returns what to print: the owner's sign-in, an API key and a call with it, shown this once; null when there is data
 */
export async function makeDemo(db: Pool, url: string, onProgress: (message: string) => void): Promise<string | null> {
  const [done] = await db.select().from(installation)
  const held = await listBusinesses(db)
  if (done || held.some(({ slug }) => slug !== SLUG)) return null
  onProgress('Making the demo business')
  const password = randomBytes(9).toString('base64url')
  // One that a start was cut off from finishing is finished: its password and key were never shown.
  if (held.length === 0)
    await createBusiness(db, { name: 'Café Å & Søn', slug: SLUG, currency: 'EUR', ownerEmail: OWNER, ownerPassword: password, direction: 'bidirectional' })
  else await setPassword(db, OWNER, password)
  // The catalog is three days old, and the orders came in since.
  let hoursAgo = 72
  const past: Clock = { now: () => new Date(Date.now() - hoursAgo * 3_600_000) }
  const context: Context = { business: await getBusiness(db, SLUG), actor: { kind: 'operator' }, db, clock: past, requestId: 'demo' }
  await changeBusiness(context, { storeEnabled: true })
  await importProducts(context, demoProducts)
  for (const { status, paid, ...order } of demoOrders) {
    hoursAgo -= 72 / (demoOrders.length + 1)
    const { order: placed } = await createOrder(context, newOrder.parse(order))
    const change = { orderId: placed.order_id }
    if (paid) await changeOrder(context, { ...change, payment_status: 'paid' })
    if (status === 'cancelled') await cancelOrder(context, change)
    else if (status) await changeOrder(context, { ...change, status })
  }
  const { key } = await createKey({ ...context, clock: systemClock }, { name: 'Demo', scopes: [...SCOPES] })
  await db.insert(installation).values({ demoMadeAt: new Date() })
  return [
    'A demo business was made. This is shown once:',
    `  Owner’s account   ${OWNER}`,
    `  Password          ${password}`,
    `  API key           ${key}`,
    '',
    'Try it:',
    `  curl -s -H "Authorization: Bearer ${key}" "${url}/api/v1/external/catalog?limit=3"`,
  ].join('\n')
}
