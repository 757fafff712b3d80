import { randomInt, randomUUID } from 'node:crypto'
import { sharedPool } from '@/db/client'
import { createBusiness } from '../businesses/create-business'
import { getBusiness } from '../businesses/queries'
import { importProducts } from '../catalog/import-products'
import type { KeyContext, Scope } from '../context'
import { trustForwardedFor } from '../http/source-ip'
import { authenticateKey } from '../keys/authenticate-key'
import { createKey, SCOPES } from '../keys/create-key'
import { newOrder } from '../orders/contract'
import { createOrder } from '../orders/create-order'
import { checkLedger } from '../stock/queries'
import { submitStock } from '../stock/submit-stock'
import { TestClock } from './clock'

export interface ShopOptions {
  products?: object[]
  direction?: 'inbound' | 'bidirectional'
  scopes?: Scope[]
}

/** A business of its own for one test, with a key, a clock that can be moved, and the things a test does all the time. */
export async function makeShop({ products = [], direction = 'bidirectional', scopes = [...SCOPES] }: ShopOptions = {}) {
  const db = sharedPool()
  const clock = new TestClock()
  const slug = `shop-${randomUUID()}`
  await createBusiness(db, { name: 'Shop', slug, currency: 'EUR', ownerEmail: `${slug}@example.test`, ownerPassword: 'correct horse', direction })
  const operator = { business: await getBusiness(db, slug), actor: { kind: 'operator' as const }, db, clock, requestId: 'test' }
  const { key, key_prefix: prefix } = await createKey(operator, { name: 'Test', scopes })
  const imported = await importProducts(
    operator,
    products.map((product, index) => ({ sku: `SKU-${index + 1}`, name: `Product ${index + 1}`, price: 10, ...product })),
  )
  if (imported.failed.length > 0) throw new Error(`the shop's products: ${JSON.stringify(imported.failed)}`)
  const context: KeyContext = { ...operator, ...(await authenticateKey(db, clock, key)) }
  return {
    key,
    prefix,
    clock,
    context,
    operator,
    submit: (items: { sku?: string; external_id?: string; stock: number; version?: number; observed_at?: string }[], idempotencyKey: string = randomUUID()) =>
      submitStock(context, { items, idempotencyKey }),
    sell: async (lines: Record<string, number>, more: object = {}) =>
      (await createOrder(operator, newOrder.parse({ lines: Object.entries(lines).map(([sku, quantity]) => ({ sku, quantity })), ...more }))).order,
    /** Products whose ledger does not lead to their stock: none, or the service has lost something. */
    ledgerFaults: async () => (await checkLedger(operator)).faults,
  }
}

export type Shop = Awaited<ReturnType<typeof makeShop>>

export interface ApiCall {
  key?: string | null
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
  /** Source address; a random one by default, so that tests do not use up each other's rate limits. */
  from?: string
}

/** A request as the front server hands it on. A body that is no text is sent as JSON. */
export function apiRequest({ key, method, path, body, headers = {}, from }: ApiCall): Request {
  trustForwardedFor()
  const address = from ?? `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`
  return new Request(`http://localhost${path}`, {
    method,
    headers: { ...(key ? { Authorization: `Bearer ${key}` } : {}), 'X-Forwarded-For': address, ...headers },
    body: body === undefined ? undefined : typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
  })
}
