import { sql } from 'drizzle-orm'
import { bigint, check, foreignKey, index, integer, json, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { moment } from './businesses'
import { orders } from './orders'

/** One order event. The row is the truth of its delivery: state, attempts and when the next one is due. */
export const orderEvents = pgTable(
  'order_events',
  {
    businessId: uuid('business_id').notNull(),
    /** Position in the business's feed, in commit order, from 1. */
    cursor: bigint('cursor', { mode: 'number' }).notNull(),
    id: uuid('id').notNull(),
    orderId: uuid('order_id').notNull(),
    type: text('type', { enum: ['order.created', 'order.updated', 'order.cancelled'] }).notNull(),
    /** Frozen when recorded. `json`, not `jsonb`: the text stays as written, so every delivery shows the same body. */
    data: json('data').notNull(),
    createdAt: moment('created_at').notNull(),
    state: text('state', { enum: ['pending', 'confirmed', 'dead'] })
      .notNull()
      .default('pending'),
    confirmedAt: moment('confirmed_at'),
    confirmedBy: text('confirmed_by', { enum: ['webhook', 'ack'] }),
    /** Rounds of attempts before this one: each resend of a dead event starts another. */
    resends: integer('resends').notNull().default(0),
    /** Failed attempts of the current round. */
    attempts: integer('attempts').notNull().default(0),
    /** Null: no delivery is wanted (there was no webhook address when it was recorded). */
    nextAttemptAt: moment('next_attempt_at'),
    /** Names the attempt that is under way, until `next_attempt_at`: then whoever held it is taken for gone. */
    lease: uuid('lease'),
    deadAt: moment('dead_at'),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.cursor] }),
    unique('order_events_id').on(t.businessId, t.id),
    index('order_events_order').on(t.businessId, t.orderId, t.cursor),
    index('order_events_due').on(t.businessId, t.nextAttemptAt, t.cursor).where(sql`state = 'pending' and next_attempt_at is not null`),
    index('order_events_dead').on(t.businessId, t.deadAt).where(sql`state = 'dead'`),
    foreignKey({ columns: [t.businessId, t.orderId], foreignColumns: [orders.businessId, orders.id] }),
    check('order_events_state', sql`${t.state} in ('pending', 'confirmed', 'dead')`),
    check('order_events_confirmed', sql`(${t.state} = 'confirmed') = (${t.confirmedAt} is not null)`),
  ],
)

/** One try to deliver an event by webhook, recorded before it is sent. */
export const deliveryAttempts = pgTable(
  'delivery_attempts',
  {
    businessId: uuid('business_id').notNull(),
    eventId: uuid('event_id').notNull(),
    id: bigint('id', { mode: 'number' }).generatedAlwaysAsIdentity().notNull(),
    /** The event's resends when it was made: attempts of one round share it. */
    round: integer('round').notNull().default(0),
    /** Number within its round, from 1. An attempt that a crash cut off is made again under the same number. */
    attempt: integer('attempt').notNull(),
    startedAt: moment('started_at').notNull(),
    finishedAt: moment('finished_at'),
    responseStatus: integer('response_status'),
    durationMs: integer('duration_ms'),
    error: text('error'),
    responseExcerpt: text('response_excerpt'),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.eventId, t.id] }),
    foreignKey({ columns: [t.businessId, t.eventId], foreignColumns: [orderEvents.businessId, orderEvents.id] }).onDelete('cascade'),
  ],
)
