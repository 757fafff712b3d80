import { randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { Agent, setGlobalDispatcher } from 'undici'
import { openPool } from '@/db/client'
import { findRunningEmbedded } from '@/db/embedded'
import { changeBusiness } from '@/lib/businesses/change-business'
import { createBusiness } from '@/lib/businesses/create-business'
import { getBusiness } from '@/lib/businesses/queries'
import { systemClock } from '@/lib/clock'
import type { Context } from '@/lib/context'
import { authenticateKey } from '@/lib/keys/authenticate-key'
import { createKey, SCOPES } from '@/lib/keys/create-key'
import { newOrder } from '@/lib/orders/contract'
import { createOrder } from '@/lib/orders/create-order'
import { startService } from '../ops/testing/start-service'
import { floor } from './floor'
import { loadEvents, loadProducts } from './load'
import { compare, rate } from './measure'

const ROUNDS = 3
const SIZES = [
  { products: 10_000, events: 10_000 },
  { products: 1_000_000, events: 1_000_000 },
]

setGlobalDispatcher(new Agent({ connections: 32, pipelining: 1 }))
const dataDir = await mkdtemp(join(tmpdir(), 'external-inventory-bench-'))
// One trusted hop: each request then names an address of its own, and no rate limit stands in the way.
const service = await startService({ DATA_DIR: dataDir, TRUSTED_PROXY_HOPS: '1', LOG_LEVEL: 'error' })
const databaseUrl = await findRunningEmbedded(dataDir)
if (!databaseUrl) throw new Error('the service’s database does not answer')
const db = openPool(databaseUrl, { max: 8 })
const sql = postgres(databaseUrl, { max: 8, onnotice: () => {} })

try {
  const { id: businessId, slug } = await createBusiness(db, {
    name: 'Bench',
    slug: 'bench',
    currency: 'EUR',
    ownerEmail: 'bench@example.test',
    ownerPassword: randomUUID(),
    direction: 'bidirectional',
  })
  const operator: Context = { business: await getBusiness(db, slug), actor: { kind: 'operator' }, db, clock: systemClock, requestId: 'bench' }
  await changeBusiness(operator, { storeEnabled: true })
  const { key } = await createKey(operator, { name: 'Bench', scopes: [...SCOPES] })
  const { actor } = await authenticateKey(db, systemClock, key)

  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'X-Forwarded-For': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text
  }

  let version = 0
  const measureAll = async (first: number, products: number, events: number) => {
    const pick = (run: number, size: number) => first + ((run * size * 7919) % (products - size))
    const stock = (concurrency: number) => {
      const batch = (run: number, start: number) =>
        Array.from({ length: 500 }, (_, index) => ({
          number: pick(run, 500) + index - first + 1,
          id: start + index,
          stock: randomInt(1, 1_000_000),
          version: ++version,
        }))
      return compare(ROUNDS, {
        ours: () =>
          rate(40, concurrency, (run) =>
            call(
              'PUT',
              '/external/stock',
              { items: batch(run, 0).map(({ number, stock, version }) => ({ external_id: `EXT-${number}`, stock, version })) },
              { 'Idempotency-Key': randomUUID() },
            ),
          ),
        floor: () =>
          rate(40, concurrency, (run) =>
            floor.stock(
              sql,
              businessId,
              actor.id,
              batch(run, pick(run, 500)).map(({ id, stock, version }) => ({ id, stock, version })),
            ),
          ),
      })
    }
    const order = (hot: boolean) => {
      const product = (run: number) => (hot ? first : first + 1000 + (run % 400))
      return compare(ROUNDS, {
        verb: () => rate(400, 8, (run) => createOrder(operator, newOrder.parse({ lines: [{ product_id: product(run), quantity: 1 }] }))),
        floor: () => rate(400, 8, (run) => floor.order(sql, businessId, product(run))),
        http: () =>
          rate(400, 8, (run) =>
            call('POST', `/store/${slug}/orders`, {
              client_order_id: randomUUID(),
              order_type: 'pickup',
              customer: { name: 'A', contact: 'b' },
              lines: [{ product_id: product(run), quantity: 1 }],
            }),
          ),
      })
    }
    return {
      'PUT /stock, 500 items, 1 at a time': await stock(1),
      'PUT /stock, 500 items, 4 at a time': await stock(4),
      'GET /catalog, 500 items': await compare(ROUNDS, {
        ours: () => rate(100, 1, (run) => call('GET', `/external/catalog?limit=500&cursor=${pick(run, 500)}`)),
        floor: () => rate(100, 1, (run) => floor.catalog(sql, businessId, pick(run, 500))),
      }),
      'GET /orders, 500 events': await compare(ROUNDS, {
        ours: () => rate(100, 1, (run) => call('GET', `/external/orders?limit=500&after=${(run * 500 * 13) % (events - 500)}`)),
        floor: () => rate(100, 1, (run) => floor.feed(sql, businessId, (run * 500 * 13) % (events - 500))),
      }),
      'orders, 8 at a time, distinct products': await order(false),
      'orders, 8 at a time, one hot product': await order(true),
    }
  }

  const measured: Record<string, Record<string, number>>[] = []
  for (const { products, events } of SIZES) {
    console.error(`Loading ${products} products and ${events} past events…`)
    await loadProducts(sql, businessId, products)
    await loadEvents(sql, businessId, events)
    const [{ first } = { first: 1 }] = await sql<{ first: number }[]>`select min(id) as first from products where business_id = ${businessId}`
    console.error('Measuring…')
    measured.push(await measureAll(first, products, events))
  }
  const [small = {}, large = {}] = measured
  console.log(`| figure (per second) | at ${SIZES[0]?.products} | at ${SIZES[1]?.products} | floor at ${SIZES[1]?.products} | share of its floor | grown by |`)
  console.log('|---|---|---|---|---|---|')
  for (const name of Object.keys(large)) {
    for (const way of ['ours', 'verb', 'http']) {
      const [before, after, bare] = [small[name]?.[way], large[name]?.[way], large[name]?.floor]
      if (!before || !after || !bare) continue
      const label = way === 'ours' ? name : `${name} (${way})`
      console.log(
        `| ${label} | ${before.toFixed(0)} | ${after.toFixed(0)} | ${bare.toFixed(0)} | ${(bare / after).toFixed(2)} × the time | ${(before / after).toFixed(2)} × |`,
      )
    }
  }

  const memory = async () => Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${service.process.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  const steps = [await memory()]
  for (let step = 0; step < 5; step += 1) {
    await rate(2000, 8, (run) => call('GET', `/external/catalog?limit=${run % 10 === 0 ? 500 : 20}`))
    steps.push(await memory())
  }
  console.log(`\nMemory of the server (MB) before and after each 2,000 of 10,000 requests: ${steps.map((value) => value.toFixed(0)).join(', ')}`)
} finally {
  await db.$client.end()
  await sql.end()
  await service.end('SIGTERM')
  await rm(dataDir, { recursive: true, force: true })
}
