import { and, eq } from 'drizzle-orm'
import type { Transaction } from '@/db/client'
import { orders } from '@/db/schema'
import { AppError } from '../errors'

/** The order, locked until commit. @throws AppError NOT_FOUND, for an order of another business too */
export async function lockOrder(tx: Transaction, businessId: string, orderId: string): Promise<typeof orders.$inferSelect> {
  const [order] = await tx
    .select()
    .from(orders)
    .where(and(eq(orders.businessId, businessId), eq(orders.id, orderId)))
    .for('no key update')
  if (!order) throw new AppError('NOT_FOUND', `There is no order ${orderId}.`)
  return order
}
