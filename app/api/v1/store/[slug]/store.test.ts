import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { changeBusiness } from '@/lib/businesses/change-business'
import { apiRequest, makeShop, type Shop } from '@/lib/testing/shop'
import { POST } from './orders/route'
import { GET } from './products/route'

const open = async (products: object[]) => {
  const shop = await makeShop({ products })
  await changeBusiness(shop.operator, { storeEnabled: true })
  return shop
}
const route = (shop: Shop) => ({ params: Promise.resolve({ slug: shop.context.business.slug }) })
const read = async (shop: Shop, query = '') => {
  const response = await GET(apiRequest({ method: 'GET', path: `/products${query}` }), route(shop))
  return { status: response.status, body: await response.json() }
}
const order = async (shop: Shop, change: object) => {
  const body = { client_order_id: randomUUID(), order_type: 'pickup', customer: { name: 'Zoë', contact: 'zoe@example.test' }, ...change }
  const response = await POST(apiRequest({ method: 'POST', path: '/orders', body }), route(shop))
  return { status: response.status, body: await response.json(), requestId: response.headers.get('x-request-id') }
}

test('a store shows what is for sale and never a stock below zero', async () => {
  const shop = await open([{ stock: 2, price: 3.5 }, {}, { stock: 1, for_sale: false }])
  await shop.sell({ 'SKU-1': 2 })
  await shop.submit([{ sku: 'SKU-1', stock: 1 }])
  const { body } = await read(shop)
  expect(body).toEqual({
    items: [
      { id: expect.any(Number), name: 'Product 1', unit: 'unit', price: 3.5, stock: 0, available: false },
      { id: expect.any(Number), name: 'Product 2', unit: 'unit', price: 10, stock: null, available: true },
    ],
    next_cursor: null,
  })
})

test('an order is created once, however often it is sent', async () => {
  const shop = await open([{ stock: 2 }])
  const product_id = (await read(shop)).body.items[0].id
  const lines = [{ product_id, quantity: 2 }]
  const client_order_id = randomUUID()
  const first = await order(shop, { client_order_id, lines })
  expect(first.status).toBe(201)
  expect(first.body).toMatchObject({ order_num: 1, status: 'pending', total: 20, currency: 'EUR', lines: [{ product_id, quantity: 2, line_total: 20 }] })
  const again = await order(shop, { client_order_id, lines })
  expect([again.status, again.body]).toEqual([200, first.body])
})

test('a short product is 409 with what is left, an unknown one 400, both by line', async () => {
  const shop = await open([{ stock: 2 }])
  const product_id = (await read(shop)).body.items[0].id
  const short = await order(shop, { lines: [{ product_id, quantity: 3 }] })
  expect([short.status, short.body.error.code, short.body.request_id]).toEqual([409, 'CONFLICT', short.requestId])
  expect(short.body.error.details).toEqual([{ field: 'lines.0.quantity', issue: expect.stringContaining('2 are left') }])
  const unknown = await order(shop, {
    lines: [
      { product_id, quantity: 1 },
      { product_id: 2_000_000_000, quantity: 1 },
    ],
  })
  expect([unknown.status, unknown.body.error.details[0].field]).toEqual([400, 'lines.1.product_id'])
  const malformed = await order(shop, { customer: { name: '' }, lines: [{ product_id, quantity: 'x' }] })
  expect(malformed.body.error.details.map(({ field }: { field: string }) => field)).toEqual(['customer.name', 'customer.contact', 'lines.0.quantity'])
})

test('a closed store and an unknown one are 404 alike', async () => {
  const shop = await makeShop()
  const closed = await read(shop)
  const unknown = await GET(apiRequest({ method: 'GET', path: '/products' }), { params: Promise.resolve({ slug: 'nobody' }) })
  expect([closed.status, closed.body.error]).toEqual([404, (await unknown.json()).error])
})
