import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { orderEvents } from '@/db/schema'
import type { Context } from '../context'
import type { FeedEvent, OrderEventData } from './contract'

/**
 * One page of the business's order events, in commit order (specification, GET /orders). `next_cursor` is the last
 * event's cursor, and null only on an empty page: a poller keeps the last one it got.
 */
export async function listFeed(
  { db, business }: Context,
  page: { after: number; limit: number },
): Promise<{ events: FeedEvent[]; next_cursor: number | null }> {
  const rows = await db
    .select({
      cursor: orderEvents.cursor,
      id: orderEvents.id,
      type: orderEvents.type,
      created_at: orderEvents.createdAt,
      data: orderEvents.data,
      delivered: sql<boolean>`${orderEvents.state} = 'confirmed'`,
    })
    .from(orderEvents)
    .where(and(eq(orderEvents.businessId, business.id), gt(orderEvents.cursor, page.after)))
    .orderBy(asc(orderEvents.businessId), asc(orderEvents.cursor))
    .limit(page.limit)
  const events = rows.map((row) => ({ ...row, created_at: row.created_at.toISOString(), data: row.data as OrderEventData }))
  return { events, next_cursor: events.at(-1)?.cursor ?? null }
}
