import type { Context } from '../context'
import { inTransaction } from '../transaction'
import { acknowledgeEvents } from './acknowledge-events'
import { announceEvents } from './announce'

/**
 * Confirms the listed events: the webhook no longer sends them and they stop reserving stock (specification,
 * POST /orders/ack). Counts those that became confirmed now; unknown ids, and another business's, count nothing.
 */
export async function acknowledge({ db, business, clock }: Context, { event_ids }: { event_ids: string[] }): Promise<{ acknowledged: number }> {
  const { acknowledged, due } = await inTransaction(db, (tx) => acknowledgeEvents(tx, business.id, [...new Set(event_ids)], clock.now()))
  await announceEvents(due)
  return { acknowledged }
}
