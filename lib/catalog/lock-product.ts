import { and, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '@/db/client'
import { products } from '@/db/schema'
import { AppError } from '../errors'

/** The live product with this SKU, locked until commit. @throws AppError NOT_FOUND */
export async function lockProduct(tx: Transaction, businessId: string, sku: string): Promise<typeof products.$inferSelect> {
  const [product] = await tx
    .select()
    .from(products)
    .where(and(eq(products.businessId, businessId), eq(products.sku, sku), isNull(products.deletedAt)))
    .for('no key update')
  if (!product) throw new AppError('NOT_FOUND', `There is no product with the SKU "${sku}".`)
  return product
}
