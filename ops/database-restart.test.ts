import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool, type Pool } from '@/db/client'
import { type EmbeddedDatabase, startEmbedded } from '@/db/embedded'
import { migrateDatabase } from '@/db/migrate'
import { startProxy } from '@/db/testing/proxy'
import { systemClock } from '@/lib/clock'
import { listEvents } from '@/lib/events/list-events'
import { DeliveryWorker, notifyWorkers } from '@/lib/jobs/delivery-worker'
import { type Receiver, startReceiver } from '@/lib/testing/receiver'
import { makeShop } from '@/lib/testing/shop'
import { setWebhook } from '@/lib/webhooks/configure'
import { LEASE_MS } from '@/lib/webhooks/rules'

let dataDir: string
let database: EmbeddedDatabase
let receiver: Receiver
let proxy: Awaited<ReturnType<typeof startProxy>>
let workerPool: Pool

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'external-inventory-restart-'))
  database = await startEmbedded({ dataDir })
  await migrateDatabase(database.url)
  proxy = await startProxy(Number(new URL(database.url).port))
  const through = new URL(database.url)
  through.port = String(proxy.port)
  process.env.DATABASE_URL = through.href
  workerPool = openPool(through.href, { max: 4 })
  receiver = await startReceiver()
})
afterAll(async () => {
  await workerPool.$client.end({ timeout: 1 })
  proxy.close()
  await database.stop()
  await receiver[Symbol.asyncDispose]()
  await rm(dataDir, { recursive: true, force: true })
})

test('Postgres restarted under the worker again and again: every event arrives, none is stuck, and it is woken as before', async () => {
  const shop = await makeShop({ products: [{ stock: 100_000 }] })
  for (const context of [shop.context, shop.operator]) context.clock = systemClock
  await setWebhook(shop.operator, { url: receiver.url })
  for (let sale = 0; sale < 150; sale += 1) await shop.sell({ 'SKU-1': 1 })
  receiver.answerWith((_, response) => void setTimeout(() => response.writeHead(200).end(), Math.random() * 40))
  const worker = new DeliveryWorker({ db: workerPool, clock: systemClock, concurrency: 8 })
  await worker.start()
  for (let restart = 0; restart < 3; restart += 1) {
    const seen = receiver.received.length
    await expect.poll(() => receiver.received.length, { interval: 5, timeout: 20_000 }).toBeGreaterThan(Math.min(seen + 10, 149))
    proxy.set('refuse')
    await database.stop()
    database = await startEmbedded({ dataDir })
    proxy.set('pass', Number(new URL(database.url).port))
  }
  const pending = async () => (await listEvents(shop.operator, { state: 'pending' })).length
  await expect.poll(pending, { interval: 500, timeout: LEASE_MS + 30_000 }).toBe(0)
  expect(new Set(receiver.ids()).size).toBe(150)
  await shop.sell({ 'SKU-1': 1 })
  await notifyWorkers(shop.context.db)
  await expect.poll(pending, { timeout: 5_000 }).toBe(0)
  await worker.stop()
}, 180_000)
