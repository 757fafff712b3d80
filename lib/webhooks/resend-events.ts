import { and, asc, eq, gte, type SQL, sql } from 'drizzle-orm'
import { integrations, orderEvents } from '@/db/schema'
import { uuids } from '@/db/sql'
import type { Context } from '../context'
import { AppError } from '../errors'
import { announceEvents } from '../events/announce'
import { inTransaction } from '../transaction'

/** One parameter, however many there are. */
const among = (ids: readonly string[]): SQL => sql`${orderEvents.id} = any(${uuids(ids)})`

export type Resend = { eventIds: string[] } | { deadSince: Date }

/**
 * Starts a fresh round of attempts for dead events, under their own ids: those that are named, or all that went dead since
 * a time. Reservations that ended with them do not come back.
 * @returns how many are sent again; what is not dead is passed over
 * @throws AppError CONFLICT without a webhook address
 */
export async function resendEvents({ db, business, clock }: Context, which: Resend): Promise<{ resent: number }> {
  const chosen: SQL = 'eventIds' in which ? among(which.eventIds) : gte(orderEvents.deadAt, which.deadSince)
  const dead = and(eq(orderEvents.businessId, business.id), eq(orderEvents.state, 'dead'), chosen)
  const resent = await inTransaction(db, async (tx) => {
    const [integration] = await tx.select({ url: integrations.webhookUrl }).from(integrations).where(eq(integrations.businessId, business.id))
    if (!integration?.url) throw new AppError('CONFLICT', 'There is no webhook address to send to: set one first.')
    // Events are locked in order of their cursor, as everywhere.
    const held = await tx.select({ id: orderEvents.id }).from(orderEvents).where(dead).orderBy(asc(orderEvents.cursor)).for('no key update')
    if (held.length === 0) return []
    return tx
      .update(orderEvents)
      .set({ state: 'pending', attempts: 0, nextAttemptAt: clock.now(), deadAt: null, lease: null, resends: sql`${orderEvents.resends} + 1` })
      .where(and(eq(orderEvents.businessId, business.id), among(held.map(({ id }) => id)), eq(orderEvents.state, 'dead')))
      .returning({ id: orderEvents.id })
  })
  await announceEvents(resent.map(({ id }) => ({ businessId: business.id, eventId: id })))
  return { resent: resent.length }
}
