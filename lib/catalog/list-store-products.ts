import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import { products } from '@/db/schema'
import type { Context } from '../context'
import { isAvailable } from './list-catalog'

export interface StoreProduct {
  id: number
  name: string
  unit: string
  price: number
  /** Null for a product that is always to be had. Never below zero: what is promised already is nobody's business. */
  stock: number | null
  available: boolean
}

/** One page of what the business offers for sale online, in ascending order of id. */
export async function listStoreProducts(
  { db, business }: Context,
  page: { cursor: number; limit: number },
): Promise<{ items: StoreProduct[]; next_cursor: number | null }> {
  const rows = await db
    .select({ id: products.id, name: products.name, unit: products.unit, price: products.price, stock: products.stock, available: isAvailable })
    .from(products)
    .where(and(eq(products.businessId, business.id), isNull(products.deletedAt), sql`${products.forSale}`, gt(products.id, page.cursor)))
    .orderBy(asc(products.businessId), asc(products.id))
    .limit(page.limit + 1)
  const items = rows
    .slice(0, page.limit)
    .map((row) => ({ ...row, price: Number(row.price), stock: row.stock === null ? null : Math.max(0, Number(row.stock)) }))
  return { items, next_cursor: rows.length > page.limit ? (items.at(-1)?.id ?? null) : null }
}
