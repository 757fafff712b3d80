import { and, eq } from 'drizzle-orm'
import { products, stockLedger } from '@/db/schema'
import { nextUpdatedAt } from '@/db/sql'
import type { Context } from '../context'
import { inTransaction } from '../transaction'
import { lockProduct } from './lock-product'

export interface Tracking {
  sku: string
  tracked: boolean
  /** Stock to begin with when tracking is turned on. */
  openingStock?: number
}

/** Turns inventory of a product on, from an opening stock, or off. What it already is stays as it is. @throws AppError NOT_FOUND */
export async function trackProduct(
  { db, business, clock }: Context,
  { sku, tracked, openingStock = 0 }: Tracking,
): Promise<{ id: number; tracked: boolean; stock: number | null }> {
  return inTransaction(db, async (tx) => {
    const product = await lockProduct(tx, business.id, sku)
    if (product.tracked === tracked) return { id: product.id, tracked, stock: product.stock === null ? null : Number(product.stock) }
    const now = clock.now()
    const after = tracked ? String(openingStock) : null
    await tx
      .update(products)
      .set({ tracked, stock: after, updatedAt: nextUpdatedAt(products.updatedAt, now) })
      .where(and(eq(products.businessId, business.id), eq(products.id, product.id)))
    await tx.insert(stockLedger).values({ businessId: business.id, productId: product.id, cause: 'tracking', before: product.stock, after, createdAt: now })
    return { id: product.id, tracked, stock: tracked ? openingStock : null }
  })
}
