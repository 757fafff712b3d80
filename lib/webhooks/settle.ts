import { sql } from 'drizzle-orm'
import type { Pool, Transaction } from '@/db/client'
import { deliveryAttempts, orderEvents, products, reservations } from '@/db/schema'
import { jsonRows } from '@/db/sql'
import type { Clock } from '../clock'
import { type EndedEvent, letSuccessorsGo } from '../events/acknowledge-events'
import type { DueEvent } from '../events/announce'
import { inTransaction } from '../transaction'
import type { ClaimedDelivery } from './claim'
import { MAX_ATTEMPTS, retryDelayMs, retrySchedule } from './rules'
import type { SendOutcome } from './send'

export interface Attempted {
  delivery: ClaimedDelivery
  outcome: SendOutcome
}

/** After a fault of our own, such as a secret that cannot be read. */
const UNCOUNTED_DELAY_MS = 60_000

/**
 * Records what came of deliveries, of any businesses, in one transaction: confirms the event, or schedules its next
 * attempt, or marks it dead; ends reservations on confirmation and on death; lets the order's next event go.
 *
 * A 2xx confirms whatever happened meanwhile. A failure counts only while its lease is held: one that comes after an
 * acknowledgement, or after another process took the event over, changes nothing but its own record.
 * @returns the events that became due because one before them has ended
 */
export async function settleDeliveries(db: Pool, clock: Clock, attempted: readonly Attempted[]): Promise<DueEvent[]> {
  const now = clock.now()
  const schedule = retrySchedule()
  const rows = attempted.map(({ delivery, outcome }) => ({
    business_id: delivery.businessId,
    event_id: delivery.eventId,
    attempt_id: delivery.attemptId,
    lease: delivery.lease,
    ok: outcome.ok,
    counts: outcome.counts !== false,
    last: outcome.counts !== false && delivery.attempt >= MAX_ATTEMPTS,
    next_at: new Date(now.getTime() + (outcome.counts === false ? UNCOUNTED_DELAY_MS : (retryDelayMs(delivery.attempt, schedule) ?? 0))).toISOString(),
    status: outcome.status,
    duration_ms: outcome.durationMs,
    error: outcome.error,
    excerpt: outcome.excerpt,
  }))
  return inTransaction(db, async (tx) => {
    await lockReserved(
      tx,
      rows.filter((row) => row.ok || row.last),
    )
    return letSuccessorsGo(tx, await writeOutcomes(tx, rows, now), now)
  })
}

/** Products before events, as everywhere: whoever reads reservations under these locks sees all of them ended, or none. */
async function lockReserved(tx: Transaction, rows: { business_id: string; event_id: string }[]): Promise<void> {
  if (rows.length === 0) return
  await tx.execute(sql`
    select 1 from ${products} product
    where (product.business_id, product.id) in (
      select reservation.business_id, reservation.product_id
      from json_to_recordset(${jsonRows(rows)}) as item(business_id uuid, event_id uuid)
      join ${orderEvents} event on event.business_id = item.business_id and event.id = item.event_id and event.type = 'order.created'
      join ${reservations} reservation on reservation.business_id = event.business_id and reservation.order_id = event.order_id and reservation.released_at is null)
    order by product.business_id, product.id
    for no key update`)
}

const writeOutcomes = (tx: Transaction, rows: object[], now: Date) => {
  const at = sql`${now.toISOString()}::timestamptz`
  return tx.execute<EndedEvent>(sql`
    with item as materialized (
      select * from json_to_recordset(${jsonRows(rows)}) as row(business_id uuid, event_id uuid, attempt_id bigint, lease uuid, ok boolean, counts boolean, last boolean,
        next_at timestamptz, status int, duration_ms int, error text, excerpt text)
    ), noted as (
      update ${deliveryAttempts} attempt set finished_at = ${at}, response_status = item.status, duration_ms = item.duration_ms, error = item.error, response_excerpt = item.excerpt
      from item where attempt.business_id = item.business_id and attempt.event_id = item.event_id and attempt.id = item.attempt_id
    ), target as materialized (
      select event.business_id, event.cursor, item.ok, item.counts, item.last, item.next_at
      from ${orderEvents} event join item on item.business_id = event.business_id and item.event_id = event.id
      where event.state <> 'confirmed' and (item.ok or (event.state = 'pending' and event.lease = item.lease))
      order by event.business_id, event.cursor
      for no key update of event
    ), settled as (
      update ${orderEvents} event set
        state = case when target.ok then 'confirmed' when target.last then 'dead' else 'pending' end,
        confirmed_at = case when target.ok then ${at} end,
        confirmed_by = case when target.ok then 'webhook' end,
        dead_at = case when not target.ok and target.last then ${at} end,
        attempts = event.attempts + case when target.counts and not target.ok then 1 else 0 end,
        next_attempt_at = case when target.ok or target.last then null else target.next_at end,
        lease = null
      from target where event.business_id = target.business_id and event.cursor = target.cursor
      returning event.business_id, event.cursor, event.order_id, event.type, event.state
    ), released as (
      update ${reservations} reservation set released_at = ${at}, release_reason = settled.state
      from settled where settled.type = 'order.created' and settled.state <> 'pending'
        and reservation.business_id = settled.business_id and reservation.order_id = settled.order_id and reservation.released_at is null
    )
    select business_id, order_id, cursor::text from settled where state <> 'pending'`)
}
