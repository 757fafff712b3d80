import { log } from '../log'
import type { RecordedEvent } from './record-event'

/** Wakes whatever delivers events: Inngest, or the worker of this process or of another. */
export type Announcer = (businessId: string, eventIds: string[]) => Promise<void> | void

const ANNOUNCER = Symbol.for('external-inventory.announcer')
const shared = globalThis as { [ANNOUNCER]?: Announcer }

/** Said once by the process that runs the engine. One for every copy of this module. */
export function announceWith(announcer: Announcer): void {
  shared[ANNOUNCER] = announcer
}

/**
 * Tells that events are due, after they were committed. It only wakes: the rows are the truth, and what is not woken is
 * found by the sweep. So its failure is logged, and fails nothing.
 */
export async function announceEvents(businessId: string, eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return
  try {
    await shared[ANNOUNCER]?.(businessId, eventIds)
  } catch (error) {
    log.error({ err: error }, 'events could not be announced: the sweep finds them within a minute')
  }
}

export const announceRecorded = (businessId: string, events: readonly RecordedEvent[]): Promise<void> =>
  announceEvents(
    businessId,
    events.filter(({ queued }) => queued).map(({ id }) => id),
  )
