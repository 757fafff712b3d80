import { and, eq, sql } from 'drizzle-orm'
import type { Pool } from '@/db/client'
import { businesses, integrations, orderEvents } from '@/db/schema'
import type { DueEvent } from '../events/announce'

export interface EventProgress {
  state: 'pending' | 'confirmed' | 'dead' | 'unknown'
  /** ISO 8601; null when nothing more is to be sent. */
  nextAttemptAt: string | null
}

/** Where the delivery of an event stands. */
export async function findProgress(db: Pool, businessId: string, eventId: string): Promise<EventProgress> {
  const [event] = await db
    .select({ state: orderEvents.state, nextAttemptAt: orderEvents.nextAttemptAt })
    .from(orderEvents)
    .where(and(eq(orderEvents.businessId, businessId), eq(orderEvents.id, eventId)))
  return event ? { state: event.state, nextAttemptAt: event.nextAttemptAt?.toISOString() ?? null } : { state: 'unknown', nextAttemptAt: null }
}

export interface SweptEvent extends DueEvent {
  nextAttemptAt: string
  sweptAt: string
}

/** Events that are due and that nobody holds, of businesses that are delivered to: fairly, a part of each. */
export async function listDue(db: Pool, now: Date, limit: number): Promise<SweptEvent[]> {
  const rows = await db.execute<DueEvent & { nextAttemptAt: string }>(sql`
    select event.business_id as "businessId", event.id as "eventId", event.next_attempt_at::text as "nextAttemptAt"
    from ${integrations} integration
    join ${businesses} business on business.id = integration.business_id
    cross join lateral (
      select due.business_id, due.id, due.next_attempt_at, row_number() over (order by due.next_attempt_at, due.cursor) as place from (
        select business_id, id, next_attempt_at, cursor from ${orderEvents}
        where business_id = integration.business_id and state = 'pending' and next_attempt_at <= ${now.toISOString()}::timestamptz
        order by next_attempt_at, cursor limit ${limit}
      ) due
    ) event
    where integration.enabled and business.module_enabled and integration.webhook_url is not null
    order by event.place limit ${limit}`)
  return rows.map((row) => ({ ...row, sweptAt: now.toISOString() }))
}
