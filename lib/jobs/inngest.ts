import { cron, Inngest } from 'inngest'
import type { Pool } from '@/db/client'
import type { Clock } from '../clock'
import { announceEvents, type DueEvent } from '../events/announce'
import { claimDeliveries } from '../webhooks/claim'
import { deliver } from '../webhooks/deliver'
import { type EventProgress, findProgress, listDue, type SweptEvent } from '../webhooks/progress'
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

/** Inngest takes 5,000 a call. */
const MESSAGES_A_CALL = 1000

const message = ({ businessId, eventId }: DueEvent) => ({ name: EVENT_DUE, data: { businessId, eventId } })

/** Tells Inngest of events that are due. */
export async function announceToInngest(events: readonly DueEvent[]): Promise<void> {
  for (let start = 0; start < events.length; start += MESSAGES_A_CALL) await inngest.send(events.slice(start, start + MESSAGES_A_CALL).map(message))
}

export interface Deps {
  db: () => Pool
  clock: Clock
  send?: SendOptions
}

/** Makes one attempt of one event if it is due, and tells where the event stands. */
export async function attemptEvent({ db, clock, send }: Deps, businessId: string, eventId: string): Promise<EventProgress> {
  const [delivery] = await claimDeliveries(db(), { now: clock.now(), limit: 1, perBusiness: 1, event: { businessId, eventId } })
  if (delivery) await announceEvents(await settleDeliveries(db(), clock, [{ delivery, outcome: await deliver(delivery, clock, send) }]))
  return findProgress(db(), businessId, eventId)
}

/** Whether this run has nothing more to do. What is due and yet was not taken is paused, or another's: the sweep wakes it again. */
const judge = (progress: EventProgress, clock: Clock) => ({
  ...progress,
  over: progress.state !== 'pending' || progress.nextAttemptAt === null || new Date(progress.nextAttemptAt).getTime() <= clock.now().getTime() + 1000,
})

/** A due time is swept up once in ten minutes: a queue that is long already is not made longer every minute. */
const onceInAWhile = (event: SweptEvent) => ({
  ...message(event),
  id: `${event.eventId}:${event.nextAttemptAt}:${Math.floor(new Date(event.sweptAt).getTime() / 600_000)}`,
})

/** The functions that Inngest runs. Both only wake what the rows say is due: running them twice sends nothing twice. */
export function inngestFunctions(deps: Deps) {
  const deliverEvent = inngest.createFunction(
    { id: 'deliver-event', triggers: [{ event: EVENT_DUE }], concurrency: { key: 'event.data.businessId', limit: DELIVERIES_PER_BUSINESS }, retries: 3 },
    async ({ event, step }) => {
      const { businessId, eventId } = event.data as { businessId: string; eventId: string }
      for (let wakeUp = 1; wakeUp <= MAX_WAKE_UPS; wakeUp += 1) {
        // Judged inside the step: what stands outside is run again at every waking, when the time is another.
        const { over, ...progress } = await step.run(`attempt-${wakeUp}`, async () => judge(await attemptEvent(deps, businessId, eventId), deps.clock))
        if (over || progress.nextAttemptAt === null) return progress
        // Sleeps can end early: the next attempt looks at the clock again, and may find that it has to wait on.
        await step.sleepUntil(`until-attempt-${wakeUp + 1}`, progress.nextAttemptAt)
      }
      return { state: 'pending' as const, nextAttemptAt: null }
    },
  )
  const sweep = inngest.createFunction({ id: 'sweep', triggers: [cron('* * * * *')], retries: 0 }, async ({ step }) => {
    const due = await step.run('find-due', () => listDue(deps.db(), deps.clock.now(), SWEEP_LIMIT))
    if (due.length > 0) await step.sendEvent('wake', due.map(onceInAWhile))
    await step.run('tidy', () => keepTidy(deps.db(), deps.clock))
    return { woken: due.length }
  })
  return [deliverEvent, sweep]
}
