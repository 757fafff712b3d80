import { expect, test } from 'vitest'
import { listLedger } from '../stock/queries'
import { makeShop } from '../testing/shop'
import { importProducts } from './import-products'
import { listCatalog } from './list-catalog'

test('good rows are kept and bad ones named with what is wrong', async () => {
  const shop = await makeShop({ products: [{ sku: 'OLD', name: 'Old', price: 3, stock: 5, external_id: 'TAKEN' }] })
  const outcome = await importProducts(shop.operator, [
    { sku: 'OLD', name: 'Renamed', stock: '7.5' },
    { sku: 'NEW', name: 'New', unit: 'kg', price: '2.50', stock: '', tracked: 'yes', external_id: '', for_sale: 'no' },
    { sku: 'NEW', name: 'Again' },
    { sku: 'A', name: 'A', price: '1,50' },
    { sku: 'B' },
    { sku: 'C', name: 'C', stock: -1 },
    { sku: 'D', name: 'D', external_id: 'taken' },
    { name: 'No SKU' },
    7,
  ])
  expect(outcome).toMatchObject({ created: 2, updated: 1 })
  expect(outcome.failed.map(({ row }) => row)).toEqual([3, 4, 5, 6, 7, 9])
  expect(outcome.failed[0]?.issue).toContain('of record 2')
  expect(outcome.failed[1]?.issue).toMatch(/^price must be a number/)
  const { items } = await listCatalog(shop.context, { cursor: 0, limit: 10 })
  expect(items.map(({ sku, name, stock, available }) => [sku, name, stock, available])).toEqual([
    ['OLD', 'Renamed', 7.5, true],
    ['NEW', 'New', 0, false],
    [null, 'No SKU', null, true],
  ])
  expect((await listLedger(shop.operator, { sku: 'OLD' })).map(({ cause, after }) => [cause, after])).toEqual([
    ['tracking', 5],
    ['manual', 7.5],
  ])
  expect(await shop.ledgerFaults()).toEqual([])
})
