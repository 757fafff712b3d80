import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deleteProduct } from '@/lib/catalog/delete-product'
import { trackProduct } from '@/lib/catalog/track-product'
import { rotateKey } from '@/lib/keys/retire-key'
import { cancelOrder } from '@/lib/orders/cancel-order'
import { listLedger } from '@/lib/stock/queries'
import { makeShop, type Shop } from '@/lib/testing/shop'
import { callRoute } from '../call-route'

const put = (shop: Shop, items: unknown, headers: Record<string, string> = {}, key = shop.key) =>
  callRoute({ key, method: 'PUT', path: '/stock', body: { items }, headers })
const statuses = (answer: { body: { results: { status: string }[] } }) => answer.body.results.map(({ status }) => status)

describe('each item has its own outcome', () => {
  test('all six kinds stand side by side in the order sent, and the good ones are applied', async () => {
    const shop = await makeShop({ products: [{}, { stock: 1 }, { stock: 5, external_id: 'ERP-3' }, { stock: 1 }] })
    await shop.submit([{ sku: 'SKU-2', stock: 9, version: 7 }])
    const { status, body } = await put(shop, [
      { sku: 'SKU-1', stock: 4 },
      { sku: 'SKU-2', stock: 8, version: 7 },
      { external_id: 'erp-3', sku: 'SKU-4', stock: 12.345 },
      { sku: 'sku-4', stock: 1 },
      { stock: 1 },
    ])
    expect(status).toBe(200)
    expect(body.results.map(({ menu_item_id, ...result }: { menu_item_id: number | null }) => ({ ...result, found: menu_item_id !== null }))).toEqual([
      { index: 0, external_id: null, sku: 'SKU-1', found: true, status: 'untracked', stock_after: null, reserved: null },
      { index: 1, external_id: null, sku: 'SKU-2', found: true, status: 'stale', stock_after: 9, reserved: null },
      { index: 2, external_id: 'erp-3', sku: 'SKU-4', found: true, status: 'applied', stock_after: 12.345, reserved: 0 },
      { index: 3, external_id: null, sku: 'sku-4', found: false, status: 'not_found', stock_after: null, reserved: null },
      { index: 4, external_id: null, sku: null, found: false, status: 'invalid', stock_after: null, reserved: null },
    ])
    expect(body.summary).toEqual({ applied: 1, duplicate: 0, stale: 1, not_found: 1, untracked: 1, invalid: 1 })
  })

  test('two items that resolve to one product are both invalid, by whatever identifiers; unknown ones repeat freely', async () => {
    const shop = await makeShop({ products: [{ stock: 3, external_id: 'A' }, { stock: 3 }] })
    const answer = await put(shop, [
      { sku: 'SKU-1', stock: 1 },
      { external_id: 'a', stock: 2 },
      { sku: 'SKU-2', stock: 7 },
      { sku: 'X', stock: 1 },
      { sku: 'X', stock: 1 },
    ])
    expect(statuses(answer)).toEqual(['invalid', 'invalid', 'applied', 'not_found', 'not_found'])
    expect((await listLedger(shop.operator, { sku: 'SKU-1' })).length).toBe(1)
  })

  test('an external id that finds nothing is not replaced by the SKU beside it', async () => {
    const shop = await makeShop({ products: [{ stock: 3 }] })
    expect(statuses(await put(shop, [{ external_id: 'gone', sku: 'SKU-1', stock: 1 }]))).toEqual(['not_found'])
  })

  test('a deleted product cannot be submitted to', async () => {
    const shop = await makeShop({ products: [{ stock: 3 }] })
    await deleteProduct(shop.operator, { sku: 'SKU-1' })
    expect(statuses(await put(shop, [{ sku: 'SKU-1', stock: 1 }]))).toEqual(['not_found'])
  })
})

describe('what arrives late is discarded', () => {
  test('a version decides alone, a date only without one, and neither is compared with the other', async () => {
    const shop = await makeShop({ products: [{ stock: 0 }] })
    const send = async (item: object) => statuses(await put(shop, [{ sku: 'SKU-1', stock: 1, ...item }]))[0]
    expect(await send({ observed_at: '2026-01-02T00:00:00Z' })).toBe('applied')
    expect(await send({ observed_at: '2026-01-02T01:00:00+01:00' })).toBe('stale')
    expect(await send({ version: 5, observed_at: '2020-01-01T00:00:00Z' })).toBe('applied')
    expect(await send({ version: 5 })).toBe('stale')
    expect(await send({ version: 4, observed_at: '2030-01-01T00:00:00Z' })).toBe('stale')
    expect(await send({ version: 6 })).toBe('applied')
    expect(await send({})).toBe('applied')
    expect(await send({ observed_at: '2020-01-01T00:00:00.000001Z' })).toBe('applied')
  })
})

describe('reservations', () => {
  test('sales not yet confirmed are subtracted exactly, below zero too, and a cancellation brings the true figure back', async () => {
    const shop = await makeShop({ products: [{ stock: 10 }] })
    const order = await shop.sell({ 'SKU-1': 3.125 })
    const [low] = (await shop.submit([{ sku: 'SKU-1', stock: 1 }])).results
    expect(low).toMatchObject({ status: 'applied', reserved: 3.125, stock_after: -2.125 })
    await cancelOrder(shop.operator, { orderId: order.order_id })
    const { body } = await callRoute({ key: shop.key, method: 'GET', path: '/catalog' })
    expect(body.items[0]).toMatchObject({ stock: 1, available: true })
    expect(await shop.ledgerFaults()).toEqual([])
  })

  test('a confirmed sale is subtracted no more', async () => {
    const shop = await makeShop({ products: [{ stock: 10 }] })
    await shop.sell({ 'SKU-1': 3 })
    const feed = await callRoute({ key: shop.key, method: 'GET', path: '/orders' })
    await callRoute({ key: shop.key, method: 'POST', path: '/orders/ack', body: { event_ids: [feed.body.events[0].id] } })
    expect((await shop.submit([{ sku: 'SKU-1', stock: 7 }])).results[0]).toMatchObject({ reserved: 0, stock_after: 7 })
  })

  test('a sale counts to its 48th hour and not after, though no job has run', async () => {
    const shop = await makeShop({ products: [{ stock: 10 }] })
    await shop.sell({ 'SKU-1': 3 })
    shop.clock.advance(48 * 3_600_000 - 1)
    expect((await shop.submit([{ sku: 'SKU-1', stock: 10 }])).results[0]).toMatchObject({ reserved: 3 })
    shop.clock.advance(1)
    expect((await shop.submit([{ sku: 'SKU-1', stock: 10 }])).results[0]).toMatchObject({ reserved: 0, stock_after: 10 })
  })

  test('with an inbound integration nothing is reserved', async () => {
    const shop = await makeShop({ products: [{ stock: 10 }], direction: 'inbound' })
    await shop.sell({ 'SKU-1': 3 })
    expect((await shop.submit([{ sku: 'SKU-1', stock: 10 }])).results[0]).toMatchObject({ reserved: 0, stock_after: 10 })
  })
})

describe('idempotency', () => {
  test('a retry answers as before with duplicate for applied, and applies nothing, even after the key was rotated', async () => {
    const shop = await makeShop({ products: [{ stock: 1 }, { stock: 1 }] })
    const headers = { 'Idempotency-Key': 'batch-0001' }
    const first = await put(
      shop,
      [
        { sku: 'SKU-1', stock: 5 },
        { sku: 'nope', stock: 1 },
      ],
      headers,
    )
    await put(shop, [{ sku: 'SKU-1', stock: 8 }])
    const { key } = await rotateKey(shop.operator, shop.prefix)
    // The same content in other bytes: fields in another order, a number in another form, a field we do not know.
    const again = await callRoute({
      key,
      method: 'PUT',
      path: '/stock',
      headers,
      body: '{"items":[{"stock":5.0,"sku":"SKU-1","colour":"red"},{"sku":"nope","stock":1e0}]}',
    })
    expect(again.body.results).toEqual(
      first.body.results.map((result: { status: string }) => ({ ...result, status: result.status === 'applied' ? 'duplicate' : result.status })),
    )
    expect(again.body.summary).toMatchObject({ applied: 0, duplicate: 1, not_found: 1 })
    const { body } = await callRoute({ key, method: 'GET', path: '/catalog' })
    expect(body.items[0].stock).toBe(8)
  })

  test('a key that comes again with other content is refused, and its stock is not dropped in silence', async () => {
    const shop = await makeShop({ products: [{ stock: 1 }] })
    const headers = { 'Idempotency-Key': 'batch-0001' }
    await put(shop, [{ sku: 'SKU-1', stock: 5 }], headers)
    const { status, body } = await put(shop, [{ sku: 'SKU-1', stock: 6 }], headers)
    expect([status, body.error.code, body.error.details[0].field]).toEqual([400, 'VALIDATION_FAILED', 'Idempotency-Key'])
  })

  test('a request that failed leaves its key free, and two businesses may use one key', async () => {
    const [shop, other] = [await makeShop({ products: [{ stock: 1 }] }), await makeShop({ products: [{ stock: 1 }] })]
    const headers = { 'Idempotency-Key': 'batch-0001' }
    expect((await put(shop, [{ sku: 'SKU-1', stock: -1 }], headers)).status).toBe(400)
    expect(statuses(await put(shop, [{ sku: 'SKU-1', stock: 2 }], headers))).toEqual(['applied'])
    expect(statuses(await put(other, [{ sku: 'SKU-1', stock: 2 }], headers))).toEqual(['applied'])
  })

  test('after 30 days a key is free again, though no job has run', async () => {
    const shop = await makeShop({ products: [{ stock: 1 }] })
    await shop.submit([{ sku: 'SKU-1', stock: 5 }], 'batch-0001')
    shop.clock.advance(30 * 86_400_000 - 1)
    expect((await shop.submit([{ sku: 'SKU-1', stock: 5 }], 'batch-0001')).results[0]?.status).toBe('duplicate')
    shop.clock.advance(1)
    expect((await shop.submit([{ sku: 'SKU-1', stock: 6 }], 'batch-0001')).results[0]?.status).toBe('applied')
  })
})

describe('the whole batch is refused only for its form', () => {
  const item = (more: object) => [{ sku: 'SKU-1', stock: 1, ...more }]
  test.each<[string, unknown, string]>([
    ['no items', [], 'items'],
    ['items that are no list', 'x', 'items'],
    ['an item that is no object', [7], 'items.0'],
    ['stock missing', [{ sku: 'SKU-1' }], 'items.0.stock'],
    ['stock as text', item({ stock: '1' }), 'items.0.stock'],
    ['stock below zero', item({ stock: -0.001 }), 'items.0.stock'],
    ['four decimals', item({ stock: 0.0001 }), 'items.0.stock'],
    ['0.1 + 0.2', item({ stock: 0.1 + 0.2 }), 'items.0.stock'],
    ['more than the most', item({ stock: 100_000_000_000 }), 'items.0.stock'],
    ['99999999999.9995', item({ stock: 99_999_999_999.9995 }), 'items.0.stock'],
    ['an empty sku', item({ sku: '' }), 'items.0.sku'],
    ['a sku of 51', item({ sku: 'x'.repeat(51) }), 'items.0.sku'],
    ['an external id of 101', item({ external_id: 'x'.repeat(101) }), 'items.0.external_id'],
    ['U+0000', item({ sku: 'a\u0000' }), 'items.0.sku'],
    ['half a surrogate pair', item({ sku: '\ud800' }), 'items.0.sku'],
    ['a version with a fraction', item({ version: 1.5 }), 'items.0.version'],
    ['a version below zero', item({ version: -1 }), 'items.0.version'],
    ['a date without a zone', item({ observed_at: '2026-01-01T00:00:00' }), 'items.0.observed_at'],
    ['30 February', item({ observed_at: '2026-02-30T00:00:00Z' }), 'items.0.observed_at'],
    ['a zone that no clock has', item({ observed_at: '2026-01-01T00:00:00+16:00' }), 'items.0.observed_at'],
    ['a fraction without end', item({ observed_at: `2026-01-01T00:00:00.${'1'.repeat(200)}Z` }), 'items.0.observed_at'],
    ['the year 0', item({ observed_at: '0000-01-01T00:00:00Z' }), 'items.0.observed_at'],
  ])('%s', async (_, items, field) => {
    const shop = await makeShop({ products: [{ stock: 3 }] })
    const { status, body } = await put(shop, items)
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(body.error.details.map((detail: { field: string }) => detail.field)).toEqual([field])
  })

  test('the largest stock, negative zero and fifty characters outside the basic plane are within the form', async () => {
    const shop = await makeShop({ products: [{ stock: 3 }, { stock: 3 }] })
    const { body } = await put(shop, [
      { sku: 'SKU-1', stock: 99_999_999_999.999 },
      { sku: 'SKU-2', stock: -0 },
      { sku: '😀'.repeat(50), stock: 1 },
    ])
    expect(body.results.map(({ status, stock_after }: { status: string; stock_after: number }) => [status, stock_after])).toEqual([
      ['applied', 99_999_999_999.999],
      ['applied', 0],
      ['not_found', null],
    ])
  })

  test('every failing field is named, a hundred at most', async () => {
    const shop = await makeShop()
    const { body } = await put(
      shop,
      Array.from({ length: 200 }, () => ({ sku: 'x', stock: 'y' })),
    )
    expect(body.error.details).toHaveLength(100)
    expect(body.error.details[99].field).toBe('items.99.stock')
  })

  test('501 items, no Idempotency-Key and a malformed one have their own answers', async () => {
    const shop = await makeShop()
    const many = await put(
      shop,
      Array.from({ length: 501 }, (_, index) => ({ sku: `${index}`, stock: 'wrong' })),
    )
    expect([many.status, many.body.error.code]).toEqual([400, 'EXTERNAL_STOCK_TOO_MANY_ITEMS'])
    const without = await put(shop, [], { 'Idempotency-Key': '' })
    expect([without.status, without.body.error.code]).toEqual([400, 'IDEMPOTENCY_KEY_REQUIRED'])
    const malformed = await put(shop, [], { 'Idempotency-Key': 'too short'.slice(0, 7) })
    expect([malformed.body.error.code, malformed.body.error.details[0].field]).toEqual(['VALIDATION_FAILED', 'Idempotency-Key'])
  })
})

test('turning tracking off and on goes through the ledger and lets stock be submitted again', async () => {
  const shop = await makeShop({ products: [{ stock: 3 }] })
  await trackProduct(shop.operator, { sku: 'SKU-1', tracked: false })
  expect((await shop.submit([{ sku: 'SKU-1', stock: 1 }])).results[0]?.status).toBe('untracked')
  await trackProduct(shop.operator, { sku: 'SKU-1', tracked: true, openingStock: 2.5 })
  await shop.submit([{ sku: 'SKU-1', stock: 4 }], randomUUID())
  expect((await listLedger(shop.operator, { sku: 'SKU-1' })).map(({ cause, before, after }) => [cause, before, after])).toEqual([
    ['tracking', null, 3],
    ['tracking', 3, null],
    ['tracking', null, 2.5],
    ['submission', 2.5, 4],
  ])
})
