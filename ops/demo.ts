import { randomBytes } from 'node:crypto'
import { count } from 'drizzle-orm'
import type { Pool } from '@/db/client'
import { businesses, installation } from '@/db/schema'
import { changeBusiness } from '@/lib/businesses/change-business'
import { createBusiness } from '@/lib/businesses/create-business'
import { getBusiness } from '@/lib/businesses/queries'
import { importProducts } from '@/lib/catalog/import-products'
import { systemClock } from '@/lib/clock'
import type { Context } from '@/lib/context'
import { createKey, SCOPES } from '@/lib/keys/create-key'
import { cancelOrder } from '@/lib/orders/cancel-order'
import { changeOrder } from '@/lib/orders/change-order'
import { newOrder } from '@/lib/orders/contract'
import { createOrder } from '@/lib/orders/create-order'
import { demoOrders, demoProducts } from './demo-data'

const OWNER = 'owner@demo.example'

/**
 * On an empty embedded database: a business with products, an integration and a few past orders, so that everything can
 * be tried at once.
 * @returns what to print: the owner's sign-in, an API key and a call with it, shown this once; null when there is data
 */
export async function makeDemo(db: Pool, url: string, onProgress: (message: string) => void): Promise<string | null> {
  const [held] = await db.select({ count: count() }).from(businesses)
  const [claimed] = held?.count ? [] : await db.insert(installation).values({ demoMadeAt: new Date() }).onConflictDoNothing().returning()
  if (!claimed) return null
  onProgress('Making the demo business')
  const password = randomBytes(9).toString('base64url')
  const { slug } = await createBusiness(db, {
    name: 'Café Å & Søn',
    slug: 'demo',
    currency: 'EUR',
    ownerEmail: OWNER,
    ownerPassword: password,
    direction: 'bidirectional',
  })
  const context: Context = { business: await getBusiness(db, slug), actor: { kind: 'operator' }, db, clock: systemClock, requestId: 'demo' }
  await changeBusiness(context, { storeEnabled: true })
  await importProducts(context, demoProducts)
  for (const { status, paid, ...order } of demoOrders) {
    const { order: placed } = await createOrder(context, newOrder.parse(order))
    const change = { orderId: placed.order_id }
    if (paid) await changeOrder(context, { ...change, payment_status: 'paid' })
    if (status === 'cancelled') await cancelOrder(context, change)
    else if (status) await changeOrder(context, { ...change, status })
  }
  const { key } = await createKey(context, { name: 'Demo', scopes: [...SCOPES] })
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
