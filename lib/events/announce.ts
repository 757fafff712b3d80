import { log } from '../log'
import { within } from '../within'
import type { RecordedEvent } from './record-event'

export interface DueEvent extends Record<string, unknown> {
  businessId: string
  eventId: string
}

/** Wakes whatever delivers events: Inngest, or the worker of this process or of another. */
export type Announcer = (events: readonly DueEvent[]) => Promise<void> | void

const ANNOUNCER = Symbol.for('external-inventory.announcer')
const shared = globalThis as { [ANNOUNCER]?: Announcer }
/** Whoever waits for an order waits no longer than this for the wake-up of its event. */
const ANNOUNCE_TIMEOUT_MS = 2000

/** Said once by the process that runs the engine. One for every copy of this module. */
export function announceWith(announcer: Announcer): void {
  shared[ANNOUNCER] = announcer
}

/** Whether anything delivers events here. */
export const isAnnouncing = (): boolean => shared[ANNOUNCER] !== undefined

/**
 * Tells that events are due, after they were committed. It only wakes: the rows are the truth, and what is not woken is
 * found by the sweep. So its failure is logged, and fails nothing.
 */
export async function announceEvents(events: readonly DueEvent[]): Promise<void> {
  if (events.length === 0) return
  try {
    await within(ANNOUNCE_TIMEOUT_MS, Promise.resolve(shared[ANNOUNCER]?.(events)))
  } catch (error) {
    log.error({ err: error }, 'events could not be announced: the sweep finds them within a minute')
  }
}

export const announceRecorded = (businessId: string, events: readonly RecordedEvent[]): Promise<void> =>
  announceEvents(events.filter(({ queued }) => queued).map(({ id }) => ({ businessId, eventId: id })))
