import { expect, test } from 'vitest'
import { deleteProduct } from '@/lib/catalog/delete-product'
import { importProducts } from '@/lib/catalog/import-products'
import { trackProduct } from '@/lib/catalog/track-product'
import { makeShop } from '@/lib/testing/shop'
import { callRoute } from '../call-route'

test('paging by cursor shows every live product once, in ascending order of id, and ends with null', async () => {
  const shop = await makeShop({ products: Array.from({ length: 7 }, () => ({ stock: 1 })) })
  await deleteProduct(shop.operator, { sku: 'SKU-3' })
  const seen: string[] = []
  const ids: number[] = []
  let cursor: number | null = 0
  do {
    const { body } = await callRoute({ key: shop.key, method: 'GET', path: `/catalog?limit=2&cursor=${cursor || ''}` })
    seen.push(...body.items.map((item: { sku: string }) => item.sku))
    ids.push(...body.items.map((item: { id: number }) => item.id))
    cursor = body.next_cursor
  } while (cursor !== null)
  expect(seen).toEqual(['SKU-1', 'SKU-2', 'SKU-4', 'SKU-5', 'SKU-6', 'SKU-7'])
  expect(ids).toEqual([...ids].sort((a, b) => a - b))
})

test('a page that ends with the last product says that there is no more', async () => {
  const shop = await makeShop({ products: [{}, {}] })
  expect((await callRoute({ key: shop.key, method: 'GET', path: '/catalog?limit=2' })).body.next_cursor).toBeNull()
})

test('an item shows all its fields, with stock null when untracked, and whether it can be sold', async () => {
  const shop = await makeShop({ products: [{ name: 'Ñandú', unit: 'kg', stock: 1.5 }, { stock: 0 }, {}, { stock: 3, for_sale: false }] })
  const { body } = await callRoute({ key: shop.key, method: 'GET', path: '/catalog' })
  expect(body.items[0]).toEqual({
    id: expect.any(Number),
    sku: 'SKU-1',
    external_id: null,
    name: 'Ñandú',
    unit: 'kg',
    stock: 1.5,
    tracked: true,
    available: true,
    updated_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
  })
  expect(body.items.map(({ stock, tracked, available }: Record<string, unknown>) => [stock, tracked, available])).toEqual([
    [1.5, true, true],
    [0, true, false],
    [null, false, true],
    [3, true, false],
  ])
})

test('updated_at moves with every change of a shown field, even within one millisecond, and not without one', async () => {
  const shop = await makeShop({ products: [{ stock: 5 }] })
  const shown = async () => (await callRoute({ key: shop.key, method: 'GET', path: '/catalog' })).body.items[0].updated_at
  const moments = [await shown()]
  const note = async () => moments.push(await shown())
  await shop.submit([{ sku: 'SKU-1', stock: 6 }])
  await note()
  await shop.sell({ 'SKU-1': 1 })
  await note()
  await callRoute({ key: shop.key, method: 'PATCH', path: '/catalog/mapping', body: { items: [{ sku: 'SKU-1', external_id: 'E' }] } })
  await note()
  await importProducts(shop.operator, [{ sku: 'SKU-1', name: 'Other' }])
  await note()
  await trackProduct(shop.operator, { sku: 'SKU-1', tracked: false })
  await note()
  expect([...new Set(moments)].sort()).toEqual(moments)
  await trackProduct(shop.operator, { sku: 'SKU-1', tracked: true, openingStock: 7 })
  const before = await shown()
  await shop.submit([
    { sku: 'SKU-1', stock: 8 },
    { sku: 'SKU-1', stock: 9 },
  ])
  expect(await shown()).toBe(before)
})

test.each(['cursor=-1', 'cursor=x', 'cursor=2147483648', 'cursor=1.5', 'limit=0', 'limit=501', 'limit=', 'limit=1e2', 'cursor=1&cursor=2'])(
  'the query %s is refused by name',
  async (query) => {
    const shop = await makeShop()
    const { status, body } = await callRoute({ key: shop.key, method: 'GET', path: `/catalog?${query}` })
    expect([status, body.error.code, body.error.details[0].field]).toEqual([400, 'VALIDATION_FAILED', query.split('=')[0]])
  },
)
