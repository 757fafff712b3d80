import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { Pool as HttpPool } from 'undici'
import { openPool } from '@/db/client'
import { startEmbedded } from '@/db/embedded'
import { migrateDatabase } from '@/db/migrate'
import { createBusiness } from '@/lib/businesses/create-business'
import { getBusiness } from '@/lib/businesses/queries'
import { importProducts } from '@/lib/catalog/import-products'
import { systemClock } from '@/lib/clock'
import type { Context } from '@/lib/context'
import { announceWith } from '@/lib/events/announce'
import { DeliveryWorker } from '@/lib/jobs/delivery-worker'
import { newOrder } from '@/lib/orders/contract'
import { createOrder } from '@/lib/orders/create-order'
import { setWebhook } from '@/lib/webhooks/configure'
import { closeConnections } from '@/lib/webhooks/send'

const CONCURRENCY = 32
process.env.APP_SECRET = randomUUID() + randomUUID()
process.env.WEBHOOK_ALLOW_LOCAL = '1'

/** The receiver runs in a process of its own, as a receiver does. */
if (process.env.BENCH_RECEIVER) {
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === '/never') return
    request.on('end', () => {
      if (request.url?.startsWith('/arrival')) process.send?.({ arrived: Date.now() })
      response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
} else await main()

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'external-inventory-bench-'))
  const database = await startEmbedded({ dataDir })
  await migrateDatabase(database.url)
  const db = openPool(database.url, { max: 4 })
  const sql = postgres(database.url, { max: 4, onnotice: () => {} })
  const receiver = fork(new URL(import.meta.url).pathname, { env: { ...process.env, BENCH_RECEIVER: '1' }, execArgv: ['--import', 'tsx'] })
  await sql`alter system set autovacuum = off`
  await sql`select pg_reload_conf()`
  const base = await new Promise<string>((ready) => receiver.once('message', ({ port }: { port: number }) => ready(`http://127.0.0.1:${port}`)))
  const arrivals: ((at: number) => void)[] = []
  receiver.on('message', ({ arrived }: { arrived?: number }) => arrived && arrivals.shift()?.(arrived))

  const makeBusiness = async (path: string): Promise<Context> => {
    const slug = `b-${randomUUID()}`
    await createBusiness(db, { name: slug, slug, currency: 'EUR', ownerEmail: `${slug}@example.test`, ownerPassword: randomUUID(), direction: 'bidirectional' })
    const context: Context = { business: await getBusiness(db, slug), actor: { kind: 'operator' }, db, clock: systemClock, requestId: 'bench' }
    await importProducts(context, [{ sku: 'A', name: 'A', stock: 1_000_000 }])
    await createOrder(context, newOrder.parse({ lines: [{ sku: 'A', quantity: 1 }] }))
    await setWebhook(context, { url: base + path })
    return context
  }
  /** Copies of the business's first event, each of an order of its own, due now. */
  const queueEvents = async (context: Context, count: number) => {
    const { id } = context.business
    await sql.begin(async (tx) => {
      await tx`insert into orders (business_id, id, order_num, status, payment_status, order_type, total, currency, created_at, updated_at)
        select ${id}, gen_random_uuid(), (select max(order_num) from orders where business_id = ${id}) + number, 'pending', 'unpaid', 'in_store', 10, 'EUR', now(), now() from generate_series(1, ${count}::int) number`
      await tx`insert into order_events (business_id, cursor, id, order_id, type, data, created_at, next_attempt_at)
        select ${id}, (select max(cursor) from order_events where business_id = ${id}) + row_number() over (order by id), gen_random_uuid(), id, 'order.updated',
          (select data from order_events where business_id = ${id} order by cursor limit 1), now(), now()
        from (select id from orders where business_id = ${id} order by order_num desc limit ${count}::int) placed`
      await tx`update business_counters set last_event_cursor = (select max(cursor) from order_events where business_id = ${id}), last_order_num = (select max(order_num) from orders where business_id = ${id}) where business_id = ${id}`
    })
  }
  const withWorker = async <T>(work: (worker: DeliveryWorker) => Promise<T>): Promise<T> => {
    const own = openPool(database.url, { max: 4 })
    const worker = new DeliveryWorker({ db: own, clock: systemClock, concurrency: CONCURRENCY })
    await worker.start()
    try {
      return await work(worker)
    } finally {
      await worker.stop()
      await own.$client.end()
    }
  }
  /** Confirmed events a second while the worker runs, from the first look to the last. */
  const drained = async (businesses: Context[]): Promise<number> => {
    const ids = businesses.map(({ business }) => business.id)
    const left = async () =>
      Number(
        (await sql`select count(*) from order_events where business_id = any(${ids}::uuid[]) and state = 'pending' and next_attempt_at is not null`)[0]?.count,
      )
    // Each run begins on a table without the remains of the one before.
    await sql`vacuum analyze`
    const begun = await left()
    const startedAt = performance.now()
    await withWorker(async () => {
      while ((await left()) > 0) await new Promise((again) => setTimeout(again, 50))
    })
    return (begun * 1000) / (performance.now() - startedAt)
  }

  const one = await makeBusiness('/hook')
  const seven = await Promise.all(Array.from({ length: 7 }, () => makeBusiness('/hook')))
  for (const context of [one, ...seven]) await queueEvents(context, 500)
  const floor = await floorRate(sql, base, [one, ...seven], 4000)
  for (const context of [one, ...seven]) await queueEvents(context, 500)
  const ours = await drained([one, ...seven])
  console.log(
    `deliveries/s to a local receiver, ${CONCURRENCY} at a time: ${ours.toFixed(0)}, floor ${floor.toFixed(0)}: ${((100 * ours) / floor).toFixed(0)} % of it`,
  )

  const idle = await makeBusiness('/arrival')
  const delays: number[] = []
  await withWorker(async (worker) => {
    announceWith(worker.wake)
    await new Promise((settled) => setTimeout(settled, 1500))
    const [before] =
      await sql`select sum(calls) as calls from (select xact_commit + xact_rollback as calls from pg_stat_database where datname = current_database()) counted`
    await new Promise((settled) => setTimeout(settled, 10_000))
    const [after] =
      await sql`select sum(calls) as calls from (select xact_commit + xact_rollback as calls from pg_stat_database where datname = current_database()) counted`
    console.log(`transactions a second while idle: ${((Number(after?.calls) - Number(before?.calls)) / 10).toFixed(1)}`)
    for (let sale = 0; sale < 50; sale += 1) {
      const arrived = new Promise<number>((at) => arrivals.push(at))
      await createOrder(idle, newOrder.parse({ lines: [{ sku: 'A', quantity: 1 }] }))
      const committedAt = Date.now()
      delays.push((await arrived) - committedAt)
      await new Promise((settled) => setTimeout(settled, 30))
    }
  })
  console.log(`from commit to arrival when idle, median of 50: ${delays.sort((a, b) => a - b)[25]} ms`)

  const healthy = await Promise.all(Array.from({ length: 99 }, () => makeBusiness('/hook')))
  for (const context of healthy) await queueEvents(context, 1000)
  const alone = await drained(healthy)
  for (const context of healthy) await queueEvents(context, 1000)
  const silent = await makeBusiness('/never')
  await queueEvents(silent, 1000)
  const beside = await drained(healthy)
  console.log(
    `99 businesses beside one that never answers, 100,000 events in all: ${beside.toFixed(0)} deliveries/s, ${((100 * beside) / alone).toFixed(0)} % of ${alone.toFixed(0)} without it`,
  )

  receiver.kill()
  await closeConnections()
  await db.$client.end()
  await sql.end()
  await database.stop()
  await rm(dataDir, { recursive: true, force: true })
}

/** Bare POSTs at the same concurrency, with the claims and records that cannot be avoided written in bulk, a hundred at a time. */
async function floorRate(sql: postgres.Sql, base: string, businesses: Context[], count: number): Promise<number> {
  const http = new HttpPool(base, { connections: CONCURRENCY })
  const ids = businesses.map(({ business }) => business.id)
  const startedAt = performance.now()
  let sent = 0
  while (sent < count) {
    const events = await sql`
      with due as (select business_id, cursor from order_events where business_id = any(${ids}::uuid[]) and state = 'pending' and next_attempt_at <= now() limit 100 for update skip locked),
      taken as (update order_events event set next_attempt_at = now() + interval '30 seconds', lease = gen_random_uuid() from due where event.business_id = due.business_id and event.cursor = due.cursor returning event.*),
      noted as (insert into delivery_attempts (business_id, event_id, attempt, started_at) select business_id, id, 1, now() from taken)
      select id, business_id, data::text as data from taken`
    let next = 0
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (let event = events[next++]; event; event = events[next++]) {
          const { body } = await http.request({ method: 'POST', path: '/hook', headers: { 'content-type': 'application/json' }, body: event.data })
          await body.dump()
        }
      }),
    )
    const done = sql.json(events.map(({ id, business_id }) => ({ id, business_id })))
    await sql`
      with item as (select * from jsonb_to_recordset(${done}) as row(id uuid, business_id uuid)),
      noted as (update delivery_attempts attempt set finished_at = now(), response_status = 204, duration_ms = 1 from item where attempt.business_id = item.business_id and attempt.event_id = item.id)
      update order_events event set state = 'confirmed', confirmed_at = now(), confirmed_by = 'webhook', next_attempt_at = null, lease = null from item where event.business_id = item.business_id and event.id = item.id`
    sent += events.length
    if (events.length === 0) break
  }
  await http.close()
  return (sent * 1000) / (performance.now() - startedAt)
}
