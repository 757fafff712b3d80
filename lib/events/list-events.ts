import { and, asc, eq, gt } from 'drizzle-orm'
import { orderEvents } from '@/db/schema'
import type { Context } from '../context'

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
  return rows.map((event) => ({
    cursor: event.cursor,
    id: event.id,
    type: event.type,
    order_id: event.orderId,
    state: event.state,
    created_at: event.createdAt.toISOString(),
    confirmed_at: event.confirmedAt?.toISOString() ?? null,
    confirmed_by: event.confirmedBy,
  }))
}
