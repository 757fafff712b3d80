import { and, asc, eq, type SQL } from 'drizzle-orm'
import type { Database } from '@/db/client'
import { orderItems, orders } from '@/db/schema'
import { AppError } from '../errors'
import type { PlacedOrder } from './contract'

/** @throws AppError NOT_FOUND, for an order of another business too */
export async function getOrder(db: Database, businessId: string, orderId: string): Promise<PlacedOrder> {
  const order = await findOrder(db, businessId, eq(orders.id, orderId))
  if (!order) throw new AppError('NOT_FOUND', `There is no order ${orderId}.`)
  return order
}

export const findOrderByClientId = (db: Database, businessId: string, clientOrderId: string): Promise<PlacedOrder | null> =>
  findOrder(db, businessId, eq(orders.clientOrderId, clientOrderId))

async function findOrder(db: Database, businessId: string, which: SQL): Promise<PlacedOrder | null> {
  const rows = await db
    .select({ order: orders, item: orderItems })
    .from(orders)
    .innerJoin(orderItems, and(eq(orderItems.businessId, orders.businessId), eq(orderItems.orderId, orders.id)))
    .where(and(eq(orders.businessId, businessId), which))
    .orderBy(asc(orderItems.position))
  const [first] = rows
  if (!first) return null
  return {
    order_id: first.order.id,
    order_num: first.order.orderNum,
    status: first.order.status,
    payment_status: first.order.paymentStatus,
    total: Number(first.order.total),
    currency: first.order.currency,
    created_at: first.order.createdAt.toISOString(),
    lines: rows.map(({ item }) => ({
      product_id: item.productId,
      name: item.name,
      quantity: Number(item.quantity),
      unit_price: Number(item.unitPrice),
      line_total: Number(item.lineTotal),
    })),
  }
}
