import { and, eq } from 'drizzle-orm'
import type { Transaction } from '@/db/client'
import { orders } from '@/db/schema'
import type { Clock } from '../clock'
import type { Context } from '../context'
import { AppError } from '../errors'
import { announceRecorded } from '../events/announce'
import { type RecordedEvent, recordEvent } from '../events/record-event'
import { inTransaction } from '../transaction'
import { cancelOrderIn } from './cancel-order'
import type { PlacedOrder } from './contract'
import { lockOrder } from './lock-order'
import { getOrder } from './queries'
import { mayMoveTo, mayPayTo, type OrderStatus, type PaymentStatus } from './rules'

export interface OrderChange {
  orderId: string
  status?: OrderStatus
  payment_status?: PaymentStatus
}

/**
 * Moves an order's status, its payment status or both, and records one event of it. What it already is stays as it is,
 * without an event. The status `cancelled` cancels the order.
 * @throws AppError CONFLICT when the order may not move so, NOT_FOUND
 */
export async function changeOrder({ db, business, clock }: Context, change: OrderChange): Promise<PlacedOrder> {
  const events = await inTransaction(db, async (tx) => {
    const cancelled = change.status === 'cancelled'
    const first = cancelled ? await cancelOrderIn(tx, business.id, change.orderId, clock) : []
    return [...first, ...(await changeOrderIn(tx, business.id, { ...change, status: cancelled ? undefined : change.status }, clock))]
  })
  await announceRecorded(business.id, events)
  return getOrder(db, business.id, change.orderId)
}

async function changeOrderIn(tx: Transaction, businessId: string, change: OrderChange, clock: Clock): Promise<RecordedEvent[]> {
  const order = await lockOrder(tx, businessId, change.orderId)
  const status = change.status ?? order.status
  const paymentStatus = change.payment_status ?? order.paymentStatus
  if (status === order.status && paymentStatus === order.paymentStatus) return []
  if (status !== order.status && !mayMoveTo(order.status, status)) {
    throw new AppError(
      'CONFLICT',
      `Order ${order.orderNum} is ${order.status}: it cannot become ${status}. Orders move forward only: pending, preparing, ready, completed.`,
    )
  }
  if (paymentStatus !== order.paymentStatus && !mayPayTo(order.paymentStatus, paymentStatus)) {
    throw new AppError(
      'CONFLICT',
      `The payment of order ${order.orderNum} is ${order.paymentStatus}: it cannot become ${paymentStatus}. Payments go from unpaid to paid to refunded.`,
    )
  }
  const now = clock.now()
  await tx
    .update(orders)
    .set({ status, paymentStatus, updatedAt: now })
    .where(and(eq(orders.businessId, businessId), eq(orders.id, order.id)))
  return recordEvent(tx, businessId, order.id, 'order.updated', now)
}
