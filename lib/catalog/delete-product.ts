import { and, eq } from 'drizzle-orm'
import { products } from '@/db/schema'
import { nextUpdatedAt } from '@/db/sql'
import type { Context } from '../context'
import { inTransaction } from '../transaction'
import { lockProduct } from './lock-product'

/** Takes a product out of the catalog. Its past stays; its SKU and external id are free again. @throws AppError NOT_FOUND */
export async function deleteProduct({ db, business, clock }: Context, { sku }: { sku: string }): Promise<{ id: number }> {
  return inTransaction(db, async (tx) => {
    const { id } = await lockProduct(tx, business.id, sku)
    const now = clock.now()
    await tx
      .update(products)
      .set({ deletedAt: now, updatedAt: nextUpdatedAt(products.updatedAt, now) })
      .where(and(eq(products.businessId, business.id), eq(products.id, id)))
    return { id }
  })
}
