import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sharedPool } from '@/db/client'
import { orderEvents, products } from '@/db/schema'
import { listCatalog } from '../catalog/list-catalog'
import { mapProducts } from '../catalog/map-products'
import { AppError } from '../errors'
import { acknowledge } from '../events/acknowledge'
import { listFeed } from '../events/list-feed'
import { cancelOrder } from '../orders/cancel-order'
import { whileLocked } from '../testing/race'
import { makeShop, type Shop } from '../testing/shop'

const stockOf = async (shop: Shop) =>
  Object.fromEntries((await listCatalog(shop.context, { cursor: 0, limit: 500 })).items.map((item) => [item.sku, item.stock]))
const lockAll = (shop: Shop) => sql`select 1 from ${products} where business_id = ${shop.context.business.id} order by id for update`
const outcomes = (settled: PromiseSettledResult<unknown>[]) => ({
  won: settled.filter(({ status }) => status === 'fulfilled').length,
  refused: settled.filter((result) => result.status === 'rejected' && result.reason instanceof AppError && result.reason.code === 'CONFLICT').length,
})

test('50 simultaneous orders for the last 10 units: exactly 10 succeed, and the ledger adds up', async () => {
  const shop = await makeShop({ products: [{ stock: 10 }] })
  const settled = await Promise.allSettled(Array.from({ length: 50 }, () => shop.sell({ 'SKU-1': 1 })))
  expect(outcomes(settled)).toEqual({ won: 10, refused: 40 })
  expect(await stockOf(shop)).toEqual({ 'SKU-1': 0 })
  expect(await shop.ledgerFaults()).toEqual([])
})

test('one client order id sent 20 times at once makes one order, also when it takes the last unit', async () => {
  const shop = await makeShop({ products: [{ stock: 1 }] })
  const client_order_id = '0190a000-0000-7000-8000-000000000001'
  const orders = await Promise.all(Array.from({ length: 20 }, () => shop.sell({ 'SKU-1': 1 }, { client_order_id })))
  expect(new Set(orders.map(({ order_id }) => order_id)).size).toBe(1)
  expect((await listFeed(shop.context, { after: 0, limit: 10 })).events).toHaveLength(1)
})

test('one idempotency key sent 20 times at once is applied once, the others are duplicates', async () => {
  const shop = await makeShop({ products: [{ stock: 1 }] })
  const answers = await whileLocked(lockAll(shop), 8, () =>
    Promise.all(Array.from({ length: 20 }, () => shop.submit([{ sku: 'SKU-1', stock: 5 }], 'same-key-0'))),
  )
  const seen = answers.map(({ results }) => results[0]?.status)
  expect(seen.filter((status) => status === 'applied')).toHaveLength(1)
  expect(seen.filter((status) => status === 'duplicate')).toHaveLength(19)
})

test('a submission that waited for an order counts that order as reserved', async () => {
  const shop = await makeShop({ products: [{ stock: 10 }] })
  // Both wait for the product; the order queues first, so the submission has it committed in front of it.
  const [, answer] = await whileLocked(lockAll(shop), 2, async () => {
    const order = shop.sell({ 'SKU-1': 4 })
    await new Promise((turn) => setTimeout(turn, 50))
    return Promise.all([order, shop.submit([{ sku: 'SKU-1', stock: 10 }])])
  })
  expect(answer.results[0]).toMatchObject({ status: 'applied', reserved: 4, stock_after: 6 })
  expect(await shop.ledgerFaults()).toEqual([])
})

test('a submission whose product loses its mapping while it waits does not write to it', async () => {
  const shop = await makeShop({ products: [{ stock: 1, external_id: 'X' }, { stock: 2 }] })
  const { business } = shop.context
  const answer = await whileLocked(
    sql`with freed as (update ${products} set external_id = null where business_id = ${business.id} and sku = 'SKU-1' returning 1)
        select 1 from freed`,
    1,
    () => shop.submit([{ external_id: 'X', stock: 9 }]),
  )
  expect(answer.results[0]?.status).toBe('not_found')
  await mapProducts(shop.context, { items: [{ sku: 'SKU-2', external_id: 'x' }] })
  await shop.submit([{ external_id: 'X', stock: 9 }])
  expect(await stockOf(shop)).toEqual({ 'SKU-1': 1, 'SKU-2': 9 })
})

test('batches over the same 500 products in opposite orders all succeed', async () => {
  const shop = await makeShop({ products: Array.from({ length: 500 }, () => ({ stock: 1 })) })
  const forwards = Array.from({ length: 500 }, (_, index) => `SKU-${index + 1}`)
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, round) => shop.submit((round % 2 ? forwards : [...forwards].reverse()).map((sku) => ({ sku, stock: round })))),
  )
  for (const { summary } of answers) expect(summary.applied).toBe(500)
  expect(await shop.ledgerFaults()).toEqual([])
})

test('orders, mappings and submissions over the same products in every order never end in a deadlock', async () => {
  const shop = await makeShop({ products: Array.from({ length: 20 }, () => ({ stock: 1000 })) })
  const skus = Array.from({ length: 20 }, (_, index) => `SKU-${index + 1}`)
  const work = Array.from({ length: 60 }, (_, round) => {
    const some = skus.filter((_, index) => (index * 7 + round * 3) % 4 !== 0)
    if (round % 2) some.reverse()
    if (round % 3 === 0) return shop.sell(Object.fromEntries(some.map((sku) => [sku, 1])))
    if (round % 3 === 1) return shop.submit(some.map((sku) => ({ sku, stock: 1000 })))
    return mapProducts(shop.context, { items: some.map((sku, index) => ({ sku, external_id: `E-${(index + round) % 20}` })) }).catch((error) => {
      expect(error).toMatchObject({ code: 'EXTERNAL_ID_TAKEN' })
    })
  })
  await Promise.all(work)
  expect(await shop.ledgerFaults()).toEqual([])
})

test('of two mappings that race for one id, one is made and the other told to retry', async () => {
  const shop = await makeShop({ products: [{}, {}, {}] })
  const { business } = shop.context
  // A third holds the id uncommitted, so that both look while it seems free, then let go: both write at once.
  const map = (sku: string) =>
    mapProducts(shop.context, { items: [{ sku, external_id: 'X' }] }).then(
      ({ results }) => results[0]?.status,
      (error) => error.code,
    )
  const results = await whileLocked(sql`select 1 from ${products} where business_id = ${business.id} for update`, 2, () =>
    Promise.all([map('SKU-1'), map('SKU-2')]),
  )
  expect(results.sort()).toEqual(['EXTERNAL_ID_TAKEN', 'mapped'])
})

test('a reader that pages the feed while 8 writers create orders sees every event once, in order', async () => {
  const shop = await makeShop({ products: Array.from({ length: 8 }, () => ({ stock: 1000 })) })
  let writing = 8
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let sale = 0; sale < 30; sale += 1) await shop.sell({ [`SKU-${writer + 1}`]: 1 })
    writing -= 1
  })
  const seen: number[] = []
  const orders = new Set<string>()
  const read = async () => {
    const page = await listFeed(shop.context, { after: seen.at(-1) ?? 0, limit: 7 })
    for (const event of page.events) {
      seen.push(event.cursor)
      orders.add(event.data.order_id)
    }
    return page.events.length
  }
  while (writing > 0) await read()
  await Promise.all(writers)
  while (await read()) {}
  expect(seen).toEqual(Array.from({ length: 240 }, (_, index) => index + 1))
  expect(orders.size).toBe(240)
})

test('a confirmation and a submission that race leave the sale subtracted once or not at all, never twice', async () => {
  for (let round = 0; round < 20; round += 1) {
    const shop = await makeShop({ products: [{ stock: 10 }] })
    await shop.sell({ 'SKU-1': 3 })
    const [event] = (await listFeed(shop.context, { after: 0, limit: 1 })).events
    const [, answer] = await Promise.all([acknowledge(shop.context, { event_ids: [event?.id ?? ''] }), shop.submit([{ sku: 'SKU-1', stock: 7 }])])
    const [result] = answer.results
    expect(Number(result?.stock_after)).toBe(7 - Number(result?.reserved))
    expect([0, 3]).toContain(result?.reserved)
  }
})

describe('model', () => {
  const sku = fc.integer({ min: 1, max: 4 }).map((number) => `SKU-${number}`)
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('sell' as const), sku, quantity: fc.integer({ min: 1, max: 5000 }).map((thousandths) => thousandths / 1000) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('submit' as const), sku, stock: fc.integer({ min: 0, max: 20_000 }).map((thousandths) => thousandths / 1000) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('ack' as const), pick: fc.nat() }) },
  )

  test('whatever happens at once, stock, ledger and reservations agree with books kept beside them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 40 }), async (steps) => {
        const shop = await makeShop({ products: Array.from({ length: 4 }, () => ({ stock: 10 })) })
        const placed: { sku: string; quantity: number; id: string }[] = []
        const run = async (one: (typeof steps)[number]) => {
          if (one.kind === 'sell') {
            const order = await shop.sell({ [one.sku]: one.quantity }).catch((error) => {
              expect(error).toMatchObject({ code: 'CONFLICT' })
            })
            if (order) placed.push({ sku: one.sku, quantity: one.quantity, id: order.order_id })
          } else if (one.kind === 'submit') {
            const [result] = (await shop.submit([{ sku: one.sku, stock: one.stock }])).results
            expect(Math.round(Number(result?.stock_after) * 1000)).toBe(Math.round(one.stock * 1000) - Math.round(Number(result?.reserved) * 1000))
          } else if (one.kind === 'cancel') {
            const order = placed[one.pick % Math.max(1, placed.length)]
            if (order) await cancelOrder(shop.operator, { orderId: order.id })
          } else {
            const { events } = await listFeed(shop.context, { after: 0, limit: 500 })
            const event = events[one.pick % Math.max(1, events.length)]
            if (event) await acknowledge(shop.context, { event_ids: [event.id] })
          }
        }
        for (let start = 0; start < steps.length; start += 6) await Promise.all(steps.slice(start, start + 6).map(run))
        await reconcile(shop, placed)
      }),
      { numRuns: 15 },
    )
  })

  /** A last submission of a known figure: what it holds back must be what the books say is open. */
  async function reconcile(shop: Shop, placed: { sku: string; quantity: number; id: string }[]) {
    expect(await shop.ledgerFaults()).toEqual([])
    const rows = await sharedPool().select().from(orderEvents).where(sql`${orderEvents.businessId} = ${shop.context.business.id}`)
    const closed = new Set(
      rows.filter((event) => event.type === 'order.cancelled' || (event.type === 'order.created' && event.state === 'confirmed')).map((event) => event.orderId),
    )
    const open: Record<string, number> = {}
    for (const order of placed) if (!closed.has(order.id)) open[order.sku] = (open[order.sku] ?? 0) + Math.round(order.quantity * 1000)
    const skus = ['SKU-1', 'SKU-2', 'SKU-3', 'SKU-4']
    const { results } = await shop.submit(skus.map((sku) => ({ sku, stock: 100 })))
    expect(results.map(({ reserved }) => Math.round(Number(reserved) * 1000))).toEqual(skus.map((sku) => open[sku] ?? 0))
    expect(await stockOf(shop)).toEqual(Object.fromEntries(skus.map((sku) => [sku, (100_000 - (open[sku] ?? 0)) / 1000])))
    expect(await shop.ledgerFaults()).toEqual([])
  }
})
