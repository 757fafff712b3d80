import { sql } from 'drizzle-orm'
import { orderEvents } from '@/db/schema'
import { isoMoment } from '@/db/sql'
import type { Context } from '../context'
import type { FeedEvent } from './contract'

/**
 * One page of the business's order events, in commit order (specification, GET /orders). `next_cursor` is the last
 * event's cursor, and null only on an empty page: a poller keeps the last one it got.
 */
export async function listFeed(
  { db, business }: Context,
  page: { after: number; limit: number },
): Promise<{ events: FeedEvent[]; next_cursor: number | null }> {
  const rows = await db.execute<FeedRow>(sql`
    select cursor, id, type, ${isoMoment(orderEvents.createdAt)} as created_at, data, state = 'confirmed' as delivered
    from ${orderEvents}
    where ${orderEvents.businessId} = ${business.id} and ${orderEvents.cursor} > ${page.after}
    order by ${orderEvents.businessId}, ${orderEvents.cursor}
    limit ${page.limit}`)
  const events = rows.map((row): FeedEvent => ({ ...row, cursor: Number(row.cursor) }))
  return { events, next_cursor: events.at(-1)?.cursor ?? null }
}

type FeedRow = Omit<FeedEvent, 'cursor'> & { cursor: string }
