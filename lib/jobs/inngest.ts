import { cron, Inngest } from 'inngest'
import type { Pool } from '@/db/client'
import type { Clock } from '../clock'
import { claimDeliveries } from '../webhooks/claim'
import { deliver } from '../webhooks/deliver'
import { type EventProgress, findProgress, listDue } from '../webhooks/progress'
import type { SendOptions } from '../webhooks/send'
import { settleDeliveries } from '../webhooks/settle'
import { keepTidy } from './keep-tidy'

export const inngest = new Inngest({ id: 'external-inventory' })

const EVENT_DUE = 'order-event/due'
/** One call takes 5,000; this many are ample for one sweep, and the next is a minute away. */
const SWEEP_LIMIT = 1000
const DELIVERIES_PER_BUSINESS = 5
/** Waits behind an earlier event of its order are wake-ups too; an event that needs more is found by the sweep. */
const MAX_WAKE_UPS = 40

const message = (businessId: string, eventId: string) => ({ name: EVENT_DUE, data: { businessId, eventId } })

/** Tells Inngest of events that are due, in one call. */
export async function announceToInngest(businessId: string, eventIds: string[]): Promise<void> {
  await inngest.send(eventIds.map((eventId) => message(businessId, eventId)))
}

export interface Deps {
  db: () => Pool
  clock: Clock
  send?: SendOptions
}

/** Makes one attempt of one event if it is due, and tells where the event stands. */
export async function attemptEvent({ db, clock, send }: Deps, businessId: string, eventId: string): Promise<EventProgress> {
  const [delivery] = await claimDeliveries(db(), { now: clock.now(), limit: 1, perBusiness: 1, event: { businessId, eventId } })
  if (delivery) await settleDeliveries(db(), clock, [{ delivery, outcome: await deliver(delivery, clock, send) }])
  return findProgress(db(), businessId, eventId)
}

/** The functions that Inngest runs. Both only wake what the rows say is due: running them twice sends nothing twice. */
export function inngestFunctions(deps: Deps) {
  const deliverEvent = inngest.createFunction(
    { id: 'deliver-event', triggers: [{ event: EVENT_DUE }], concurrency: { key: 'event.data.businessId', limit: DELIVERIES_PER_BUSINESS }, retries: 3 },
    async ({ event, step }) => {
      const { businessId, eventId } = event.data as { businessId: string; eventId: string }
      for (let wakeUp = 1; wakeUp <= MAX_WAKE_UPS; wakeUp += 1) {
        const progress = await step.run(`attempt-${wakeUp}`, () => attemptEvent(deps, businessId, eventId))
        if (progress.state !== 'pending' || progress.nextAttemptAt === null) return progress
        // Sleeps can end early: the next attempt looks at the clock again, and may find that it has to wait on.
        await step.sleepUntil(`until-attempt-${wakeUp + 1}`, progress.nextAttemptAt)
      }
      return { state: 'pending' as const, nextAttemptAt: null }
    },
  )
  const sweep = inngest.createFunction({ id: 'sweep', triggers: [cron('* * * * *')], retries: 0 }, async ({ step }) => {
    const due = await step.run('find-due', () => listDue(deps.db(), deps.clock.now(), SWEEP_LIMIT))
    if (due.length > 0)
      await step.sendEvent(
        'wake',
        due.map(({ businessId, eventId }) => message(businessId, eventId)),
      )
    await step.run('tidy', () => keepTidy(deps.db(), deps.clock))
    return { woken: due.length }
  })
  return [deliverEvent, sweep]
}
