import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@/lib/clock'
import { listEvents } from '@/lib/events/list-events'
import { type Receiver, startReceiver } from '@/lib/testing/receiver'
import { makeShop } from '@/lib/testing/shop'
import { setWebhook } from '@/lib/webhooks/configure'

const SIGNING_KEY = `signkey-test-${'ab12'.repeat(16)}`
type Route = (request: Request, context: unknown) => Promise<Response>
let routes: Record<'GET' | 'POST' | 'PUT', Route>
let receiver: Receiver

beforeAll(async () => {
  process.env.INNGEST_SIGNING_KEY = SIGNING_KEY
  process.env.INNGEST_EVENT_KEY = 'test'
  routes = (await import('./route')) as unknown as typeof routes
  receiver = await startReceiver()
})
afterAll(async () => {
  delete process.env.INNGEST_SIGNING_KEY
  delete process.env.INNGEST_EVENT_KEY
  await receiver[Symbol.asyncDispose]()
})

/** The signature that Inngest's server puts on its calls: HMAC-SHA256 of body and time, keyed without the key's prefix. */
function signature(body: string, timestamp = Math.floor(Date.now() / 1000)): string {
  const key = SIGNING_KEY.replace(/^signkey-\w+-/, '')
  return `t=${timestamp}&s=${createHmac('sha256', key).update(`${body}${timestamp}`).digest('hex')}`
}

/** JSON with its keys in order: what is signed is the content, not the bytes. */
const canonical = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(canonical).join(',')}]`
    : typeof value === 'object' && value !== null
      ? `{${Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)
          .join(',')}}`
      : JSON.stringify(value)

const ask = (method: 'GET' | 'POST', query: string, headers: Record<string, string>, body?: string) =>
  routes[method](new Request(`http://localhost:3000/api/inngest${query}`, { method, headers: { 'Content-Type': 'application/json', ...headers }, body }), {
    params: Promise.resolve({}),
  })

test('introspection tells the functions only to who has the signing key', async () => {
  const signed = await (await ask('GET', '', { 'x-inngest-signature': signature('') })).json()
  expect(signed).toMatchObject({ function_count: 2, mode: 'cloud' })
  expect(JSON.stringify(signed)).not.toContain(SIGNING_KEY.slice(-20))
  const unsigned = await (await ask('GET', '', {})).json()
  expect(unsigned.signing_key_hash).toBeUndefined()
})

test('a signed call delivers the event; an unsigned, a forged and a stale one are refused and deliver nothing', async () => {
  const shop = await makeShop({ products: [{ stock: 10 }] })
  for (const context of [shop.context, shop.operator]) context.clock = systemClock
  await setWebhook(shop.operator, { url: receiver.url })
  await shop.sell({ 'SKU-1': 1 })
  const [event] = await listEvents(shop.operator, {})
  const due = { name: 'order-event/due', data: { businessId: shop.context.business.id, eventId: event?.id }, id: 'run-1', ts: Date.now() }
  const body = canonical({
    version: 1,
    event: due,
    events: [due],
    steps: {},
    ctx: { run_id: 'run-1', attempt: 0, disable_immediate_execution: false, use_api: false, stack: { stack: [], current: 0 } },
  })
  const call = (headers: Record<string, string>) => ask('POST', '?fnId=external-inventory-deliver-event&stepId=step', headers, body)

  for (const headers of [
    {},
    { 'x-inngest-signature': signature('other') },
    { 'x-inngest-signature': signature(body, Math.floor(Date.now() / 1000) - 3600) },
  ] as Record<string, string>[]) {
    expect((await call(headers)).status).toBeGreaterThanOrEqual(400)
  }
  expect(receiver.received).toHaveLength(0)
  expect((await call({ 'x-inngest-signature': signature(body) })).status).toBeLessThan(300)
  expect(receiver.ids()).toEqual([event?.id])
  expect((await listEvents(shop.operator, {}))[0]).toMatchObject({ state: 'confirmed' })
})
