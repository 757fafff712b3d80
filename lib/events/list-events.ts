import { and, asc, eq, gt } from 'drizzle-orm'
import { deliveryAttempts, orderEvents } from '@/db/schema'
import type { Context } from '../context'
import { AppError } from '../errors'

export const EVENT_STATES = ['pending', 'confirmed', 'dead'] as const
export type EventState = (typeof EVENT_STATES)[number]

export interface ListedEvent {
  cursor: number
  id: string
  type: string
  order_id: string
  state: EventState
  created_at: string
  confirmed_at: string | null
  confirmed_by: string | null
  /** Failed attempts of the current round. */
  attempts: number
  next_attempt_at: string | null
  dead_at: string | null
}

/** A page of the business's events after a cursor, oldest first, of one state or of all. */
export async function listEvents(
  { db, business }: Context,
  { state, after = 0, limit = 500 }: { state?: EventState; after?: number; limit?: number },
): Promise<ListedEvent[]> {
  const rows = await db
    .select()
    .from(orderEvents)
    .where(and(eq(orderEvents.businessId, business.id), gt(orderEvents.cursor, after), state ? eq(orderEvents.state, state) : undefined))
    .orderBy(asc(orderEvents.cursor))
    .limit(limit)
  return rows.map(toListed)
}

const toListed = (event: typeof orderEvents.$inferSelect): ListedEvent => ({
  cursor: event.cursor,
  id: event.id,
  type: event.type,
  order_id: event.orderId,
  state: event.state,
  created_at: event.createdAt.toISOString(),
  confirmed_at: event.confirmedAt?.toISOString() ?? null,
  confirmed_by: event.confirmedBy,
  attempts: event.attempts,
  next_attempt_at: event.nextAttemptAt?.toISOString() ?? null,
  dead_at: event.deadAt?.toISOString() ?? null,
})

export interface ShownEvent extends ListedEvent {
  data: unknown
  delivery_attempts: {
    /** 0 for the first round; each resend starts another. */
    round: number
    attempt: number
    started_at: string
    /** Null while it is under way, and for one that a crash cut off. */
    finished_at: string | null
    status: number | null
    duration_ms: number | null
    error: string | null
    excerpt: string | null
  }[]
}

/** An event with its body and every attempt to deliver it, oldest first. @throws AppError NOT_FOUND, for another business's too */
export async function getEvent({ db, business }: Context, id: string): Promise<ShownEvent> {
  const [event] = await db
    .select()
    .from(orderEvents)
    .where(and(eq(orderEvents.businessId, business.id), eq(orderEvents.id, id)))
  if (!event) throw new AppError('NOT_FOUND', `There is no event ${id}.`)
  const attempts = await db
    .select()
    .from(deliveryAttempts)
    .where(and(eq(deliveryAttempts.businessId, business.id), eq(deliveryAttempts.eventId, id)))
    .orderBy(asc(deliveryAttempts.id))
  return {
    ...toListed(event),
    data: event.data,
    delivery_attempts: attempts.map((attempt) => ({
      round: attempt.round,
      attempt: attempt.attempt,
      started_at: attempt.startedAt.toISOString(),
      finished_at: attempt.finishedAt?.toISOString() ?? null,
      status: attempt.responseStatus,
      duration_ms: attempt.durationMs,
      error: attempt.error,
      excerpt: attempt.responseExcerpt,
    })),
  }
}
