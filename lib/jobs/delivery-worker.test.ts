import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPool, type Pool } from '@/db/client'
import { systemClock } from '../clock'
import { announceWith } from '../events/announce'
import { listEvents } from '../events/list-events'
import { changeOrder } from '../orders/change-order'
import { type Receiver, startReceiver } from '../testing/receiver'
import { makeShop, type Shop } from '../testing/shop'
import { setWebhook } from '../webhooks/configure'
import { DeliveryWorker, notifyWorkers } from './delivery-worker'

let receiver: Receiver
let pools: Pool[] = []
let workers: DeliveryWorker[] = []
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  announceWith(() => {})
  await Promise.all(workers.map((worker) => worker.stop()))
  await Promise.all(pools.map((pool) => pool.$client.end()))
  workers = []
  pools = []
  await receiver[Symbol.asyncDispose]()
})

async function startWorker(concurrency = 8, timeoutMs = 1000): Promise<DeliveryWorker> {
  const db = openPool(process.env.DATABASE_URL ?? '', { max: 4 })
  const worker = new DeliveryWorker({ db, clock: systemClock, concurrency, send: { timeoutMs } })
  pools.push(db)
  workers.push(worker)
  await worker.start()
  return worker
}

async function openShop(url = receiver.url): Promise<Shop> {
  const shop = await makeShop({ products: [{ stock: 100_000 }] })
  // The worker looks at the real clock, and so must what it delivers.
  for (const context of [shop.context, shop.operator]) context.clock = systemClock
  await setWebhook(shop.operator, { url })
  return shop
}

const states = async (shop: Shop) => (await listEvents(shop.operator, { limit: 10_000 })).map(({ state }) => state)
const allConfirmed = (shop: Shop) => expect.poll(async () => (await states(shop)).every((state) => state === 'confirmed'), { timeout: 20_000 }).toBe(true)

test('two workers on one database send no event twice, and those of an order in their order', async () => {
  const shop = await openShop()
  await Promise.all([startWorker(), startWorker()])
  await Promise.all(
    Array.from({ length: 60 }, async () => {
      const { order_id: orderId } = await shop.sell({ 'SKU-1': 1 })
      await changeOrder(shop.operator, { orderId, status: 'ready' })
      await changeOrder(shop.operator, { orderId, payment_status: 'paid' })
    }),
  )
  for (const worker of workers) worker.wake()
  await allConfirmed(shop)
  expect(receiver.received).toHaveLength(180)
  expect(new Set(receiver.ids()).size).toBe(180)
  const perOrder = new Map<string, unknown[]>()
  for (const { body } of receiver.received) {
    const { order_id, status, payment_status } = JSON.parse(body).data
    perOrder.set(order_id, [...(perOrder.get(order_id) ?? []), [status, payment_status]])
  }
  expect(perOrder.size).toBe(60)
  for (const got of perOrder.values()) {
    expect(got).toEqual([
      ['pending', 'unpaid'],
      ['ready', 'unpaid'],
      ['ready', 'paid'],
    ])
  }
})

test('a commit in this process wakes the worker, and one in another is told through the database', async () => {
  const shop = await openShop()
  const worker = await startWorker()
  announceWith(worker.wake)
  const startedAt = Date.now()
  await shop.sell({ 'SKU-1': 1 })
  await expect.poll(() => receiver.received.length, { interval: 5 }).toBe(1)
  expect(Date.now() - startedAt).toBeLessThan(900)
  announceWith(() => notifyWorkers(shop.context.db))
  await shop.sell({ 'SKU-1': 1 })
  await expect.poll(() => receiver.received.length, { interval: 5 }).toBe(2)
})

test('a wake-up that is lost is made up for', async () => {
  const shop = await openShop()
  await startWorker()
  await shop.sell({ 'SKU-1': 1 })
  await allConfirmed(shop)
})

test('a receiver that never answers holds back neither another business nor more than its share', async () => {
  await using silent = await startReceiver()
  silent.answerWith(() => {})
  const [slow, quick] = [await openShop(silent.url), await openShop()]
  for (let sale = 0; sale < 40; sale += 1) await slow.sell({ 'SKU-1': 1 })
  const worker = await startWorker(8, 3000)
  await sleep(100)
  for (let sale = 0; sale < 40; sale += 1) await quick.sell({ 'SKU-1': 1 })
  worker.wake()
  const startedAt = Date.now()
  await allConfirmed(quick)
  expect(Date.now() - startedAt).toBeLessThan(3000)
  expect(silent.received.length).toBeLessThanOrEqual(3)
})

test('receivers that confirm, but slowly, do not hold back a quick one', async () => {
  await using sluggish = await startReceiver()
  sluggish.answerWith((_, response) => void setTimeout(() => response.writeHead(200).end(), 2500))
  const slow = await Promise.all(Array.from({ length: 4 }, () => openShop(sluggish.url)))
  const quick = await openShop()
  for (const shop of slow) for (let sale = 0; sale < 6; sale += 1) await shop.sell({ 'SKU-1': 1 })
  const worker = await startWorker(8, 5000)
  await expect.poll(() => sluggish.received.length).toBeGreaterThan(3)
  for (let sale = 0; sale < 20; sale += 1) await quick.sell({ 'SKU-1': 1 })
  worker.wake()
  const startedAt = Date.now()
  await allConfirmed(quick)
  expect(Date.now() - startedAt).toBeLessThan(2500)
})

test('stopping finishes what is under way and takes nothing more', async () => {
  const shop = await openShop()
  receiver.answerWith((_, response) => void setTimeout(() => response.writeHead(200).end(), 300))
  const worker = await startWorker(4)
  for (let sale = 0; sale < 6; sale += 1) await shop.sell({ 'SKU-1': 1 })
  worker.wake()
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0)
  await worker.stop()
  const sent = receiver.received.length
  expect((await states(shop)).filter((state) => state === 'confirmed')).toHaveLength(sent)
  await sleep(50)
  expect(receiver.received).toHaveLength(sent)
})
