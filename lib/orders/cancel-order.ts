import { and, eq, sql } from 'drizzle-orm'
import type { Transaction } from '@/db/client'
import { orderItems, orders, products, reservations, stockLedger } from '@/db/schema'
import { nextUpdatedAt } from '@/db/sql'
import type { Clock } from '../clock'
import type { Context } from '../context'
import { AppError } from '../errors'
import { announceRecorded } from '../events/announce'
import { type RecordedEvent, recordEvent } from '../events/record-event'
import { MAX_STOCK } from '../fields'
import { inTransaction } from '../transaction'
import type { PlacedOrder } from './contract'
import { lockOrder } from './lock-order'
import { getOrder } from './queries'
import { mayCancel } from './rules'

/**
 * Cancels an order: returns the stock of its tracked lines, ends its reservation and records `order.cancelled`. Once: an
 * order that is cancelled stays as it is.
 * @throws AppError CONFLICT for a completed order, NOT_FOUND
 */
export async function cancelOrder({ db, business, clock }: Context, { orderId }: { orderId: string }): Promise<PlacedOrder> {
  const events = await inTransaction(db, (tx) => cancelOrderIn(tx, business.id, orderId, clock))
  await announceRecorded(business.id, events)
  return getOrder(db, business.id, orderId)
}

export async function cancelOrderIn(tx: Transaction, businessId: string, orderId: string, clock: Clock): Promise<RecordedEvent[]> {
  // Products before the order: the one order of locks. An order's lines never change, so they need none.
  await tx.execute(sql`
    select id from ${products}
    where business_id = ${businessId} and id in (select product_id from ${orderItems} where business_id = ${businessId} and order_id = ${orderId} and deducted)
    order by id for no key update`)
  const order = await lockOrder(tx, businessId, orderId)
  if (order.status === 'cancelled') return []
  // Looked at under the lock: the events of an order carry their times in their order.
  const now = clock.now()
  if (!mayCancel(order.status)) throw new AppError('CONFLICT', `Order ${order.orderNum} is ${order.status}: it can no longer be cancelled.`)
  await returnStock(tx, businessId, orderId, now)
  await tx
    .update(orders)
    .set({ status: 'cancelled', updatedAt: now })
    .where(and(eq(orders.businessId, businessId), eq(orders.id, orderId)))
  await tx
    .update(reservations)
    .set({ releasedAt: now, releaseReason: 'cancelled' })
    .where(sql`${reservations.businessId} = ${businessId} and ${reservations.orderId} = ${orderId} and ${reservations.releasedAt} is null`)
  return recordEvent(tx, businessId, orderId, 'order.cancelled', now)
}

/** Puts back what the sale took, where the product still keeps stock. Never past the largest stock there can be. */
const returnStock = (tx: Transaction, businessId: string, orderId: string, now: Date) =>
  tx.execute(sql`
    with line as materialized (
      select product_id, sum(quantity) as quantity from ${orderItems}
      where business_id = ${businessId} and order_id = ${orderId} and deducted group by product_id
    ), had as materialized (
      select id, stock from ${products} where business_id = ${businessId} and id in (select product_id from line) and tracked
    ), returned as (
      update ${products} product set
        stock = least(product.stock + line.quantity, ${MAX_STOCK}::numeric),
        updated_at = ${nextUpdatedAt(sql`product.updated_at`, now)}
      from line join had on had.id = line.product_id
      where product.business_id = ${businessId} and product.id = line.product_id
      returning product.id, had.stock as before, product.stock as after
    )
    insert into ${stockLedger} (business_id, product_id, cause, before, after, order_id, created_at)
    select ${businessId}, id, 'cancellation', before, after, ${orderId}, ${now.toISOString()}::timestamptz from returned`)
