import { sql } from 'drizzle-orm'
import type { Transaction } from '@/db/client'
import { orderEvents, products, reservations } from '@/db/schema'
import { jsonRows, uuids } from '@/db/sql'
import type { DueEvent } from './announce'

export interface EndedEvent extends Record<string, unknown> {
  business_id: string
  order_id: string
  cursor: string
}

/**
 * Makes the later events of an order due that waited for events which now have ended. A statement of its own, after the one
 * that locked those: it sees whatever was put off behind them until then. One that is under way is left alone.
 * @returns the events that became due
 */
export async function letSuccessorsGo(tx: Transaction, ended: readonly EndedEvent[], now: Date): Promise<DueEvent[]> {
  if (ended.length === 0) return []
  const at = sql`${now.toISOString()}::timestamptz`
  const rows = await tx.execute<DueEvent>(sql`
    update ${orderEvents} later set next_attempt_at = least(later.next_attempt_at, ${at})
    from json_to_recordset(${jsonRows(ended)}) as ended(business_id uuid, order_id uuid, cursor bigint)
    where later.business_id = ended.business_id and later.order_id = ended.order_id and later.cursor > ended.cursor
      and later.state = 'pending' and later.next_attempt_at is not null and later.lease is null and later.attempts = 0
    returning later.business_id as "businessId", later.id as "eventId"`)
  return [...rows]
}

/**
 * Confirms events and ends the reservations of the orders whose creation they tell. The products are locked first, as
 * orders and submissions do: whoever reads reservations under those locks sees all of them ended, or none.
 * @returns how many became confirmed, and the events that need wait no longer for one of them
 */
export async function acknowledgeEvents(
  tx: Transaction,
  businessId: string,
  eventIds: string[],
  now: Date,
): Promise<{ acknowledged: number; due: DueEvent[] }> {
  const at = sql`${now.toISOString()}::timestamptz`
  await tx.execute(sql`
    select product.id from ${products} product
    where product.business_id = ${businessId} and product.id in (
      select reservation.product_id from ${orderEvents} event
      join ${reservations} reservation on reservation.business_id = event.business_id and reservation.order_id = event.order_id
      where event.business_id = ${businessId} and event.id = any(${uuids(eventIds)}) and event.type = 'order.created'
        and event.state <> 'confirmed' and reservation.released_at is null)
    order by product.id for no key update`)
  const confirmed = await tx.execute<EndedEvent>(sql`
    with target as materialized (
      select business_id, cursor from ${orderEvents}
      where business_id = ${businessId} and id = any(${uuids(eventIds)}) and state <> 'confirmed'
      order by cursor for no key update
    ), confirmed as (
      update ${orderEvents} event set state = 'confirmed', confirmed_at = ${at}, confirmed_by = 'ack', next_attempt_at = null
      from target where event.business_id = target.business_id and event.cursor = target.cursor
      returning event.business_id, event.cursor, event.order_id, event.type
    ), released as (
      update ${reservations} reservation set released_at = ${at}, release_reason = 'confirmed'
      from confirmed
      where confirmed.type = 'order.created' and reservation.business_id = ${businessId}
        and reservation.order_id = confirmed.order_id and reservation.released_at is null
    )
    select business_id, order_id, cursor::text from confirmed`)
  return { acknowledged: confirmed.length, due: await letSuccessorsGo(tx, confirmed, now) }
}
