import { type SQL, sql } from 'drizzle-orm'
import { products } from '@/db/schema'
import { isoMoment } from '@/db/sql'
import type { Context } from '../context'
import type { CatalogItem } from './contract'

/** Live, offered for sale, and untracked or in stock. */
export const isAvailable: SQL<boolean> = sql<boolean>`(${products.forSale} and (not ${products.tracked} or ${products.stock} > 0))`

/**
 * One page of the live products, in ascending order of id (specification, GET /catalog).
 * `next_cursor` is null on the last page.
 */
export async function listCatalog(
  { db, business }: Context,
  page: { cursor: number; limit: number },
): Promise<{ items: CatalogItem[]; next_cursor: number | null }> {
  // Raw, with moments written by the database: mapping five hundred rows twice costs more than reading them.
  const rows = await db.execute<CatalogRow>(sql`
    select id, sku, external_id, name, unit, stock, tracked, ${isAvailable} as available, ${isoMoment(products.updatedAt)} as updated_at
    from ${products}
    where ${products.businessId} = ${business.id} and ${products.deletedAt} is null and ${products.id} > ${page.cursor}
    order by ${products.businessId}, ${products.id}
    limit ${page.limit + 1}`)
  const items = rows.slice(0, page.limit).map((row): CatalogItem => ({ ...row, stock: row.stock === null ? null : Number(row.stock) }))
  return { items, next_cursor: rows.length > page.limit ? (items.at(-1)?.id ?? null) : null }
}

type CatalogRow = Omit<CatalogItem, 'stock'> & { stock: string | null }
