import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { changeBusiness } from '@/lib/businesses/change-business'
import { changeIntegration } from '@/lib/integration/change-integration'
import { cancelOrder } from '@/lib/orders/cancel-order'
import { changeOrder } from '@/lib/orders/change-order'
import { makeShop, type Shop } from '@/lib/testing/shop'
import { callRoute } from '../call-route'

const feed = async (shop: Shop, query = '') => (await callRoute({ key: shop.key, method: 'GET', path: `/orders${query}` })).body
const ack = async (shop: Shop, event_ids: unknown[]) => callRoute({ key: shop.key, method: 'POST', path: '/orders/ack', body: { event_ids } })

test('an event shows the order as it was, frozen, and no personal data wherever it stood', async () => {
  const shop = await makeShop({ products: [{ name: 'Brød 1 kg', unit: 'kg', price: 3.35, stock: 9, external_id: 'E1' }, {}] })
  const order = await shop.sell(
    { 'SKU-1': 1.5, 'SKU-2': 2 },
    {
      order_type: 'delivery',
      payment_type: 'card',
      payment_status: 'paid',
      note: 'ring PERSONAL twice',
      customer: { name: 'PERSONAL', total: 'PERSONAL', nested: { order_num: 'PERSONAL' } },
    },
  )
  await callRoute({ key: shop.key, method: 'PATCH', path: '/catalog/mapping', body: { items: [{ sku: 'SKU-1', external_id: 'changed' }] } })
  const { events, next_cursor } = await feed(shop)
  expect(events).toEqual([
    {
      cursor: 1,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'order.created',
      created_at: order.created_at,
      delivered: false,
      data: {
        order_id: order.order_id,
        order_num: 1,
        status: 'pending',
        payment_status: 'paid',
        payment_type: 'card',
        is_paid: true,
        order_type: 'delivery',
        total: 25.03,
        currency: 'EUR',
        created_at: order.created_at,
        items: [
          { menu_item_id: expect.any(Number), sku: 'SKU-1', external_id: 'E1', name: 'Brød 1 kg', quantity: 1.5, unit_price: 3.35, line_total: 5.03 },
          { menu_item_id: expect.any(Number), sku: 'SKU-2', external_id: null, name: 'Product 2', quantity: 2, unit_price: 10, line_total: 20 },
        ],
      },
    },
  ])
  expect(next_cursor).toBe(1)
  expect(JSON.stringify(events)).not.toContain('PERSONAL')
})

test('each change is one event, in order; what changes nothing is none; a cancellation happens once', async () => {
  const shop = await makeShop({ products: [{ stock: 9 }] })
  const { order_id: orderId } = await shop.sell({ 'SKU-1': 4 })
  await changeOrder(shop.operator, { orderId, status: 'ready', payment_status: 'paid' })
  await changeOrder(shop.operator, { orderId, status: 'ready' })
  await cancelOrder(shop.operator, { orderId })
  await cancelOrder(shop.operator, { orderId })
  await expect(changeOrder(shop.operator, { orderId, status: 'completed' })).rejects.toMatchObject({ code: 'CONFLICT' })
  await changeOrder(shop.operator, { orderId, payment_status: 'refunded' })
  const { events } = await feed(shop)
  expect(events.map(({ type, data }: { type: string; data: { status: string; payment_status: string } }) => [type, data.status, data.payment_status])).toEqual([
    ['order.created', 'pending', 'unpaid'],
    ['order.updated', 'ready', 'paid'],
    ['order.cancelled', 'cancelled', 'paid'],
    ['order.updated', 'cancelled', 'refunded'],
  ])
  expect((await callRoute({ key: shop.key, method: 'GET', path: '/catalog' })).body.items[0].stock).toBe(9)
  expect(await shop.ledgerFaults()).toEqual([])
})

test('a page with events gives its last cursor, an empty one null; confirmed events stay', async () => {
  const shop = await makeShop({ products: [{ stock: 9 }] })
  for (let sale = 0; sale < 3; sale += 1) await shop.sell({ 'SKU-1': 1 })
  const first = await feed(shop, '?limit=2')
  expect([first.events.length, first.next_cursor]).toEqual([2, 2])
  await ack(shop, [first.events[0].id])
  const again = await feed(shop, '?after=0&limit=2')
  expect(again.events.map(({ delivered }: { delivered: boolean }) => delivered)).toEqual([true, false])
  const last = await feed(shop, '?after=2')
  expect([last.events.length, last.next_cursor]).toEqual([1, 3])
  expect(await feed(shop, '?after=3')).toEqual({ events: [], next_cursor: null })
})

test('acknowledging counts what became confirmed: repeats once, known ones and strangers not at all', async () => {
  const [shop, other] = [await makeShop({ products: [{ stock: 9 }] }), await makeShop({ products: [{ stock: 9 }] })]
  await shop.sell({ 'SKU-1': 1 })
  await other.sell({ 'SKU-1': 1 })
  const [mine, theirs] = [(await feed(shop)).events[0].id, (await feed(other)).events[0].id]
  expect((await ack(shop, [mine, mine.toUpperCase(), theirs, randomUUID()])).body).toEqual({ acknowledged: 1 })
  expect((await ack(shop, [mine])).body).toEqual({ acknowledged: 0 })
  expect((await feed(other)).events[0].delivered).toBe(false)
})

test.each([[[]], [['x']], [Array.from({ length: 501 }, () => randomUUID())], ['x'], [[1]]])('a malformed acknowledgement is refused by field', async (ids) => {
  const shop = await makeShop()
  const { status, body } = await ack(shop, ids as unknown[])
  expect([status, body.error.code]).toEqual([400, 'VALIDATION_FAILED'])
  expect(body.error.details[0].field).toMatch(/^event_ids/)
})

test('nothing is recorded while the module is off or the direction is inbound; a disabled integration still records', async () => {
  const shop = await makeShop({ products: [{ stock: 9 }] })
  await changeBusiness(shop.operator, { moduleEnabled: false })
  await shop.sell({ 'SKU-1': 1 })
  await changeBusiness(shop.operator, { moduleEnabled: true })
  await changeIntegration(shop.operator, { direction: 'inbound' })
  await shop.sell({ 'SKU-1': 1 })
  await changeIntegration(shop.operator, { direction: 'bidirectional', enabled: false })
  await shop.sell({ 'SKU-1': 1 })
  expect((await feed(shop)).events.map(({ data }: { data: { order_num: number } }) => data.order_num)).toEqual([3])
})
