import { expect, test } from 'vitest'
import { deleteProduct } from '@/lib/catalog/delete-product'
import { makeShop, type Shop } from '@/lib/testing/shop'
import { callRoute } from '../../call-route'

const map = async (shop: Shop, items: [string, string | null][]) => {
  const { status, body } = await callRoute({
    key: shop.key,
    method: 'PATCH',
    path: '/catalog/mapping',
    body: { items: items.map(([sku, external_id]) => ({ sku, external_id })) },
  })
  expect(status).toBe(200)
  return body.results.map((result: { status: string }) => result.status)
}
const mapped = async (shop: Shop) =>
  Object.fromEntries(
    (await callRoute({ key: shop.key, method: 'GET', path: '/catalog' })).body.items.map((item: { sku: string; external_id: string }) => [
      item.sku,
      item.external_id,
    ]),
  )

test('the items take effect one after another: an id moves from one product to another in one batch', async () => {
  const shop = await makeShop({ products: [{ external_id: 'X' }, {}, { external_id: 'Z' }] })
  expect(
    await map(shop, [
      ['SKU-2', 'x'],
      ['SKU-1', null],
      ['SKU-2', 'x'],
      ['SKU-3', 'z'],
      ['SKU-1', 'Z'],
      ['gone', 'Q'],
      ['sku-1', 'R'],
    ]),
  ).toEqual(['conflict', 'unmapped', 'mapped', 'mapped', 'conflict', 'not_found', 'not_found'])
  expect(await mapped(shop)).toEqual({ 'SKU-1': null, 'SKU-2': 'x', 'SKU-3': 'z' })
})

test('two products swap their ids through a third value', async () => {
  const shop = await makeShop({ products: [{ external_id: 'A' }, { external_id: 'B' }] })
  expect(
    await map(shop, [
      ['SKU-1', 'tmp'],
      ['SKU-2', 'A'],
      ['SKU-1', 'B'],
    ]),
  ).toEqual(['mapped', 'mapped', 'mapped'])
  expect(await mapped(shop)).toEqual({ 'SKU-1': 'B', 'SKU-2': 'A' })
})

test('ids differ by more than case, also outside ASCII, and are per business', async () => {
  const [shop, other] = [await makeShop({ products: [{ external_id: 'ÅSA' }, {}] }), await makeShop({ products: [{}] })]
  expect(await map(shop, [['SKU-2', 'åsa']])).toEqual(['conflict'])
  expect(await map(other, [['SKU-1', 'åsa']])).toEqual(['mapped'])
})

test('a deleted product frees its sku and its external id', async () => {
  const shop = await makeShop({ products: [{ external_id: 'X' }, {}] })
  await deleteProduct(shop.operator, { sku: 'SKU-1' })
  expect(
    await map(shop, [
      ['SKU-1', 'Y'],
      ['SKU-2', 'X'],
    ]),
  ).toEqual(['not_found', 'mapped'])
})
