import { expect, test } from 'vitest'
import { makeShop } from '../testing/shop'
import { cancelOrder } from './cancel-order'
import { newOrder } from './contract'

test('a short order sells nothing and names every short line with what is left', async () => {
  const shop = await makeShop({ products: [{ name: 'Tea', stock: 3.5 }, { name: 'Cup', stock: 9 }, { name: 'Gift card' }] })
  await expect(shop.sell({ 'SKU-1': 4, 'SKU-2': 1, 'SKU-3': 100 })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('"Tea"'),
    details: [{ field: 'lines.0.quantity', issue: expect.stringContaining('3.5 are left') }],
  })
  await shop.sell({ 'SKU-1': 3.5, 'SKU-2': 9, 'SKU-3': 100 })
  expect(await shop.ledgerFaults()).toEqual([])
})

test('two lines of one product are counted together', async () => {
  const shop = await makeShop({ products: [{ stock: 5 }] })
  const lines = [
    { sku: 'SKU-1', quantity: 3 },
    { sku: 'SKU-1', quantity: 3 },
  ]
  await expect(shop.sell({}, { lines })).rejects.toMatchObject({ code: 'CONFLICT' })
  expect((await shop.submit([{ sku: 'SKU-1', stock: 5 }])).results[0]).toMatchObject({ reserved: 0 })
})

test('line totals are exact and rounded half up', async () => {
  const shop = await makeShop({
    products: [
      { price: 0.35, stock: 100 },
      { price: 9_999_999_999.99, stock: 100 },
    ],
  })
  const order = await shop.sell({ 'SKU-1': 0.1 })
  expect(order).toMatchObject({ total: 0.04, order_num: 1 })
  await expect(shop.sell({ 'SKU-2': 2 })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
})

test('cancelling returns the stock once; a completed order keeps it', async () => {
  const shop = await makeShop({ products: [{ stock: 5 }] })
  const { order_id: orderId } = await shop.sell({ 'SKU-1': 2 })
  await Promise.all(Array.from({ length: 5 }, () => cancelOrder(shop.operator, { orderId })))
  expect((await shop.sell({ 'SKU-1': 5 })).order_num).toBe(2)
  expect(await shop.ledgerFaults()).toEqual([])
})

test.each([
  [{ lines: [] }, 'lines'],
  [{ lines: [{ sku: 'A', quantity: 0 }] }, 'lines.0.quantity'],
  [{ lines: [{ sku: 'A', product_id: 1, quantity: 1 }] }, 'lines.0'],
  [{ lines: [{ sku: 'A', quantity: 0.0001 }] }, 'lines.0.quantity'],
  [{ lines: [{ sku: 'A', quantity: 1 }], order_type: 'mail' }, 'order_type'],
])('%o is refused by field', (order, field) => {
  expect(newOrder.safeParse(order).error?.issues.map((issue) => issue.path.join('.'))).toEqual([field])
})
