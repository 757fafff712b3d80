import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '@/db/client'
import { businesses, deliveryAttempts, integrations, orderEvents } from '@/db/schema'
import { isoMoment, jsonRows, uuids } from '@/db/sql'
import { newId } from '../ids'
import { LEASE_MS } from './rules'

/** An event that this process has taken to send, with all that sending needs. */
export interface ClaimedDelivery extends Record<string, unknown> {
  businessId: string
  eventId: string
  cursor: number
  attemptId: string
  attempt: number
  lease: string
  type: string
  createdAt: string
  /** The frozen data, as the text that was recorded. */
  data: string
  url: string
  secret: string
  previousSecret: string | null
  secretRotatedAt: string | null
}

export interface ClaimOptions {
  now: Date
  /** At most so many in all. */
  limit: number
  /** At most so many of a business, less what this process already has of it. */
  perBusiness: number
  /** Deliveries under way here, by business: their number counts against `perBusiness`. */
  underWay?: ReadonlyMap<string, number>
  /** Businesses that are left out, whatever is due. */
  except?: readonly string[]
  /** Only these businesses. */
  only?: readonly string[]
  /** Only this event, if it is due. */
  event?: { businessId: string; eventId: string }
}

/** Events of a business that are looked at beyond what it may send, so that some that must wait do not hide those that need not. */
const LOOK_AHEAD = 3
/** Looked at again by then at the latest, whatever the one before it is waiting for. */
const MAX_PUT_OFF_MS = 5 * 60_000

/**
 * Takes due events and records an attempt of each before it is sent, in one statement. What is locked by another process
 * is passed over, so none is taken twice. Businesses take turns by chance: a long queue of one does not hold back another.
 *
 * An event whose order has an earlier one still to be sent is put off until that one's next attempt, and uses up none of
 * its own. Both rows are locked for that, and passed over where they cannot be: what ends the earlier one meanwhile lets the
 * later one go, and must not be overwritten. While the module or the integration is off, or there is no address, nothing is taken.
 */
export async function claimDeliveries(db: Database, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const at = sql`${options.now.toISOString()}::timestamptz`
  const busy = [...(options.underWay ?? [])].map(([id, count]) => ({ id, count }))
  const chosen: SQL = options.event
    ? sql`select ${options.event.businessId}::uuid as id`
    : options.only
      ? sql`select unnest(${uuids(options.only)}) as id`
      : sql`select id from waiting where id is not null and id <> all(${uuids(options.except ?? [])})`
  const onlyEvent = options.event ? sql`and event.id = ${options.event.eventId}` : sql``
  // The distinct businesses are found by hopping along the index, one probe a business, however long their queues are.
  return db.execute<ClaimedDelivery>(sql`
    with recursive waiting as (
      (select business_id as id from ${orderEvents} where state = 'pending' and next_attempt_at is not null order by business_id limit 1)
      union all
      select (select next.business_id from ${orderEvents} next where next.state = 'pending' and next.next_attempt_at is not null and next.business_id > waiting.id order by next.business_id limit 1)
      from waiting where waiting.id is not null
    ), busy as materialized (
      select * from json_to_recordset(${jsonRows(busy)}) as row(id uuid, count int)
    ), ready as materialized (
      select integration.business_id, integration.webhook_url, integration.webhook_secret, integration.previous_webhook_secret, integration.webhook_secret_rotated_at,
        ${options.perBusiness}::int - coalesce(busy.count, 0) as room
      from (${chosen}) chosen
      join ${integrations} integration on integration.business_id = chosen.id
      join ${businesses} business on business.id = chosen.id
      left join busy on busy.id = chosen.id
      where integration.enabled and business.module_enabled and integration.webhook_url is not null and integration.webhook_secret is not null
        and ${options.perBusiness}::int > coalesce(busy.count, 0)
        and exists (select from ${orderEvents} due where due.business_id = chosen.id and due.state = 'pending' and due.next_attempt_at <= ${at})
      order by random()
      limit ${options.limit}
    ), due as materialized (
      select event.business_id, event.cursor, event.order_id, ready.room
      from ready cross join lateral (
        select business_id, cursor, order_id from ${orderEvents} event
        where event.business_id = ready.business_id and event.state = 'pending' and event.next_attempt_at <= ${at} ${onlyEvent}
        order by event.next_attempt_at, event.cursor
        limit least(ready.room, 1 + ${options.limit}::int / (select count(*)::int from ready)) + ${LOOK_AHEAD}::int
      ) event
    ), judged as materialized (
      select due.*, (
        select earlier.cursor from ${orderEvents} earlier
        where earlier.business_id = due.business_id and earlier.order_id = due.order_id and earlier.cursor < due.cursor
          and earlier.state = 'pending' and earlier.next_attempt_at is not null
        order by earlier.cursor limit 1
      ) as behind
      from due
    ), free as materialized (
      select business_id, cursor from (
        select business_id, cursor, room, row_number() over (partition by business_id order by cursor) as place from judged where behind is null
      ) numbered
      where place <= room
      order by place
      limit ${options.limit}
    ), held as materialized (
      select event.business_id, event.cursor from free join ${orderEvents} event on event.business_id = free.business_id and event.cursor = free.cursor
      where event.state = 'pending' and event.next_attempt_at <= ${at}
      for update of event skip locked
    ), blocking as materialized (
      select earlier.business_id, earlier.cursor, earlier.next_attempt_at
      from ${orderEvents} earlier
      where earlier.state = 'pending' and earlier.next_attempt_at is not null
        and (earlier.business_id, earlier.cursor) in (select business_id, behind from judged where behind is not null)
      for no key update skip locked
    ), waiting_behind as materialized (
      select event.business_id, event.cursor, least(greatest(blocking.next_attempt_at, ${at}), ${at} + ${`${MAX_PUT_OFF_MS} milliseconds`}::interval) as until
      from judged
      join blocking on blocking.business_id = judged.business_id and blocking.cursor = judged.behind
      join ${orderEvents} event on event.business_id = judged.business_id and event.cursor = judged.cursor
      where event.state = 'pending' and event.next_attempt_at <= ${at}
      for no key update of event skip locked
    ), put_off as (
      update ${orderEvents} event set next_attempt_at = waiting_behind.until + interval '1 millisecond'
      from waiting_behind where event.business_id = waiting_behind.business_id and event.cursor = waiting_behind.cursor
    ), taken as (
      update ${orderEvents} event set lease = ${newId()}, next_attempt_at = ${at} + ${`${LEASE_MS} milliseconds`}::interval
      from held where event.business_id = held.business_id and event.cursor = held.cursor
      returning event.*
    ), recorded as (
      insert into ${deliveryAttempts} (business_id, event_id, round, attempt, started_at)
      select business_id, id, resends, attempts + 1, ${at} from taken
      returning id, business_id, event_id, attempt
    )
    select taken.business_id as "businessId", taken.id as "eventId", taken.cursor::int as "cursor", recorded.id::text as "attemptId", recorded.attempt, taken.lease, taken.type,
      ${isoMoment(sql`taken.created_at`)} as "createdAt", taken.data::text as data, ready.webhook_url as url, ready.webhook_secret as secret,
      ready.previous_webhook_secret as "previousSecret", ${isoMoment(sql`ready.webhook_secret_rotated_at`)} as "secretRotatedAt"
    from taken
    join recorded on recorded.business_id = taken.business_id and recorded.event_id = taken.id
    join ready on ready.business_id = taken.business_id
    order by taken.business_id, taken.cursor`)
}
