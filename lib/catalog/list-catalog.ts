import { and, asc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { products } from '@/db/schema'
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
  const rows = await db
    .select({
      id: products.id,
      sku: products.sku,
      external_id: products.externalId,
      name: products.name,
      unit: products.unit,
      stock: products.stock,
      tracked: products.tracked,
      available: isAvailable,
      updated_at: products.updatedAt,
    })
    .from(products)
    .where(and(eq(products.businessId, business.id), isNull(products.deletedAt), gt(products.id, page.cursor)))
    .orderBy(asc(products.businessId), asc(products.id))
    .limit(page.limit + 1)
  const items = rows
    .slice(0, page.limit)
    .map((row) => ({ ...row, stock: row.stock === null ? null : Number(row.stock), updated_at: row.updated_at.toISOString() }))
  return { items, next_cursor: rows.length > page.limit ? (items.at(-1)?.id ?? null) : null }
}
