/** When an event is tried again, and what a delivery may take (specification, Delivery rules). */

export const MAX_ATTEMPTS = 8
/** Seconds from a failed attempt to the next: 30 s, 2 min, 10 min, 1 h, then every 6 h. */
export const RETRY_SECONDS = [30, 120, 600, 3600, 21_600]
/** One deadline for name, connection, TLS, request and response headers. */
export const DELIVERY_TIMEOUT_MS = 10_000
/** How long an attempt may be unaccounted for before another process makes it again. */
export const LEASE_MS = 30_000
/** So much of an answer's body is kept for people to read. */
export const EXCERPT_BYTES = 4096
/** For so long the secret before a rotation signs too. */
export const ROTATION_OVERLAP_MS = 24 * 60 * 60 * 1000

/** Milliseconds to wait after the `failed`-th failure of a round, or null when it was the last. */
export function retryDelayMs(failed: number, schedule: readonly number[] = RETRY_SECONDS): number | null {
  if (failed >= MAX_ATTEMPTS) return null
  return (schedule[Math.min(failed, schedule.length) - 1] ?? 0) * 1000
}

const MAX_RETRY_SECONDS = 30 * 24 * 3600

/** `WEBHOOK_RETRY_SECONDS`: seconds separated by commas; the last one repeats. What is malformed counts as not set. */
export function retrySchedule(setting = process.env.WEBHOOK_RETRY_SECONDS): readonly number[] {
  const seconds = (setting ?? '').split(',').map(Number)
  return setting && seconds.every((value) => value >= 0 && value <= MAX_RETRY_SECONDS) ? seconds : RETRY_SECONDS
}
