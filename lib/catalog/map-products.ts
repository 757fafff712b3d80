import { sql } from 'drizzle-orm'
import type { Transaction } from '@/db/client'
import { products } from '@/db/schema'
import { integers, jsonRows, liveProduct, nextUpdatedAt } from '@/db/sql'
import type { Context } from '../context'
import { AppError } from '../errors'
import { inTransaction, PremiseChanged, violatesUnique } from '../transaction'
import type { MappingItem, MappingResult } from './contract'

/**
 * Gives products, found by SKU, their id in the integrator's system, as if the items came one after another
 * (specification, PATCH /catalog/mapping). One transaction.
 * @throws AppError EXTERNAL_ID_TAKEN when a simultaneous request took one of the ids; nothing was changed
 */
export async function mapProducts({ db, business, clock }: Context, { items }: { items: MappingItem[] }): Promise<{ results: MappingResult[] }> {
  try {
    return await inTransaction(db, async (tx) => {
      const keys = await foldIds(tx, items)
      const found = await findProducts(tx, business.id, items, keys)
      await lockUnchanged(tx, business.id, found)
      const { results, changes } = replayItems(items, keys, found)
      await writeChanges(tx, business.id, changes, clock.now())
      return { results }
    })
  } catch (error) {
    if (violatesUnique(error, 'products_live_external_id')) {
      throw new AppError('EXTERNAL_ID_TAKEN', 'Another request took one of these external ids at the same moment. Nothing was changed: retry.', {
        cause: error,
      })
    }
    throw error
  }
}

/** Each item's external id as the database compares it. */
async function foldIds(tx: Transaction, items: MappingItem[]): Promise<(string | null)[]> {
  const rows = await tx.execute<{ key: string | null }>(sql`
    select lower(external_id) as key
    from json_to_recordset(${jsonRows(items.map(({ external_id }, index) => ({ index, external_id })))}) as item(index int, external_id text)
    order by index`)
  return rows.map((row) => row.key)
}

interface MappedProduct extends Record<string, unknown> {
  id: number
  sku: string | null
  external_id: string | null
  key: string | null
}

/** The products that the items name, and those that hold an id that the items ask for. */
const findProducts = (tx: Transaction, businessId: string, items: MappingItem[], keys: (string | null)[]) =>
  tx.execute<MappedProduct>(sql`
    with item as materialized (
      select * from json_to_recordset(${jsonRows(items.map(({ sku }, index) => ({ sku, key: keys[index] })))}) as row(sku text, key text)
    )
    select product.id, product.sku, product.external_id, lower(product.external_id) as key
    from item cross join ${liveProduct(businessId, sql`product.sku = item.sku`)}
    union
    select product.id, product.sku, product.external_id, lower(product.external_id) as key
    from item cross join ${liveProduct(businessId, sql`lower(product.external_id) = item.key`)}
    where item.key is not null`)

/** Locks the products in order of id. What changed before the lock was had is looked at again from the start. */
async function lockUnchanged(tx: Transaction, businessId: string, found: MappedProduct[]): Promise<void> {
  const locked = await tx.execute<{ id: number; sku: string | null; external_id: string | null }>(sql`
    select id, sku, external_id from ${products}
    where business_id = ${businessId} and id = any(${integers(found.map(({ id }) => id))}) and deleted_at is null
    order by id for no key update`)
  const byId = new Map(locked.map((product) => [product.id, product]))
  const changed = found.some(({ id, sku, external_id }) => byId.get(id)?.sku !== sku || byId.get(id)?.external_id !== external_id)
  if (changed) throw new PremiseChanged('a product was mapped or deleted while the mapping waited for it')
}

interface MappingChange {
  id: number
  external_id: string | null
}

function replayItems(items: MappingItem[], keys: (string | null)[], found: MappedProduct[]): { results: MappingResult[]; changes: MappingChange[] } {
  const bySku = new Map(found.map((product) => [product.sku, { ...product }]))
  const holders = new Map(found.flatMap(({ id, key }) => (key === null ? [] : [[key, id] as const])))
  const results = items.map((item, index): MappingResult => {
    const product = bySku.get(item.sku)
    const key = keys[index] ?? null
    const result = { index, sku: item.sku, menu_item_id: product?.id ?? null }
    if (!product) return { ...result, status: 'not_found' }
    const holder = key === null ? undefined : holders.get(key)
    if (holder !== undefined && holder !== product.id) return { ...result, status: 'conflict' }
    if (product.key !== null) holders.delete(product.key)
    if (key !== null) holders.set(key, product.id)
    product.key = key
    product.external_id = item.external_id
    return { ...result, status: key === null ? 'unmapped' : 'mapped' }
  })
  const before = new Map(found.map(({ id, external_id }) => [id, external_id]))
  const changes = [...bySku.values()].filter(({ id, external_id }) => before.get(id) !== external_id).map(({ id, external_id }) => ({ id, external_id }))
  return { results, changes }
}

/** First every changed id is freed, then given out: an id that moves would else be held twice for a moment. */
async function writeChanges(tx: Transaction, businessId: string, changes: MappingChange[], now: Date): Promise<void> {
  if (changes.length === 0) return
  await tx.execute(sql`
    update ${products} set external_id = null, updated_at = ${nextUpdatedAt(products.updatedAt, now)}
    where business_id = ${businessId} and id = any(${integers(changes.map(({ id }) => id))})`)
  await tx.execute(sql`
    update ${products} product set external_id = item.external_id
    from json_to_recordset(${jsonRows(changes.filter(({ external_id }) => external_id !== null))}) as item(id int, external_id text)
    where product.business_id = ${businessId} and product.id = item.id`)
}
