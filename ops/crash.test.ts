import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '@/lib/clock'
import { listEvents } from '@/lib/events/list-events'
import { changeOrder } from '@/lib/orders/change-order'
import { type Receiver, startReceiver } from '@/lib/testing/receiver'
import { makeShop } from '@/lib/testing/shop'
import { setWebhook } from '@/lib/webhooks/configure'
import { LEASE_MS } from '@/lib/webhooks/rules'
import { startService } from './testing/start-service'

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver[Symbol.asyncDispose]())

const start = () =>
  startService({
    DATABASE_URL: process.env.DATABASE_URL ?? '',
    APP_SECRET: process.env.APP_SECRET ?? randomUUID(),
    HOST: '127.0.0.1',
    WEBHOOK_ALLOW_LOCAL: '1',
    WEBHOOK_ALLOW_LOCAL_IN_PRODUCTION: '1',
    LOG_LEVEL: 'error',
  })

test('two server processes on one database send no event twice', async () => {
  const shop = await makeShop({ products: [{ stock: 100_000 }] })
  for (const context of [shop.context, shop.operator]) context.clock = systemClock
  await setWebhook(shop.operator, { url: receiver.url })
  const services = await Promise.all([start(), start()])
  for (let sale = 0; sale < 150; sale += 1) {
    const { order_id: orderId } = await shop.sell({ 'SKU-1': 1 })
    await changeOrder(shop.operator, { orderId, status: 'ready' })
  }
  await expect.poll(async () => (await listEvents(shop.operator, { state: 'pending' })).length, { interval: 200, timeout: 20_000 }).toBe(0)
  await Promise.all(services.map((service) => service.end('SIGTERM')))
  expect(receiver.received).toHaveLength(300)
  expect(new Set(receiver.ids()).size).toBe(300)
  receiver.received.length = 0
})

test('a server that is killed again and again in the middle of hundreds of deliveries loses none, and keeps each order’s order', async () => {
  const shop = await makeShop({ products: [{ stock: 100_000 }] })
  for (const context of [shop.context, shop.operator]) context.clock = systemClock
  await setWebhook(shop.operator, { url: receiver.url })
  for (let sale = 0; sale < 200; sale += 1) {
    const { order_id: orderId } = await shop.sell({ 'SKU-1': 1 })
    await changeOrder(shop.operator, { orderId, status: 'ready' })
  }
  receiver.answerWith((_, response) => void setTimeout(() => response.writeHead(200).end(), Math.random() * 40))
  for (let crash = 0; crash < 4; crash += 1) {
    const seen = receiver.received.length
    const service = await start()
    await expect.poll(() => receiver.received.length, { interval: 5, timeout: 10_000 }).toBeGreaterThan(seen + 20)
    await service.end('SIGKILL')
  }
  const service = await start()
  // What was under way when a server died is made again when its lease has run out, and then what waited behind it.
  await expect.poll(async () => (await listEvents(shop.operator, { state: 'pending' })).length, { interval: 500, timeout: 2 * LEASE_MS + 20_000 }).toBe(0)
  await service.end('SIGTERM')

  const events = await listEvents(shop.operator, { limit: 1000 })
  expect(new Set(receiver.ids())).toEqual(new Set(events.map(({ id }) => id)))
  const first = new Map<string | undefined, number>()
  for (const [place, id] of receiver.ids().entries()) if (!first.has(id)) first.set(id, place)
  const lastOf = new Map<string, number>()
  for (const { id, order_id } of events) {
    expect(first.get(id)).toBeGreaterThan(lastOf.get(order_id) ?? -1)
    lastOf.set(order_id, first.get(id) ?? -1)
  }
}, 180_000)
