import { Ratelimit } from '@upstash/ratelimit'
import { Redis } from '@upstash/redis'
import { type Clock, systemClock } from '../clock'
import { log } from '../log'
import { within } from '../within'

export interface Verdict {
  allowed: boolean
  limit: number
  remaining: number
  /** When the full limit is available again, milliseconds since 1970. */
  resetAtMs: number
  /** When the next request passes, milliseconds since 1970. */
  nextAtMs: number
}

/** Counts requests of an identifier over the last minute. */
export interface RateLimiter {
  limit(identifier: string, perMinute: number): Promise<Verdict>
}

const WINDOW_MS = 60_000
/** A flood of addresses must not fill the memory: past this the longest unseen are forgotten. */
const MAX_IDENTIFIERS = 100_000

/** Exact for one process: never more than `perMinute` requests in any 60 seconds. */
export class EmbeddedRateLimiter implements RateLimiter {
  /** Times of the requests that passed, oldest first. In order of last use, so that the first entries are the oldest. */
  private readonly passed = new Map<string, number[]>()

  constructor(private readonly clock: Clock = systemClock) {}

  async limit(identifier: string, perMinute: number): Promise<Verdict> {
    const now = this.clock.now().getTime()
    const times = (this.passed.get(identifier) ?? []).filter((time) => time > now - WINDOW_MS)
    const allowed = times.length < perMinute
    if (allowed) times.push(now)
    this.passed.delete(identifier)
    this.passed.set(identifier, times)
    this.forget(now)
    return {
      allowed,
      limit: perMinute,
      remaining: perMinute - times.length,
      resetAtMs: (times.at(-1) ?? now) + WINDOW_MS,
      nextAtMs: times.length < perMinute ? now : (times[0] ?? now) + WINDOW_MS,
    }
  }

  private forget(now: number): void {
    for (const [identifier, times] of this.passed) {
      if (this.passed.size <= MAX_IDENTIFIERS && (times.at(-1) ?? 0) > now - WINDOW_MS) return
      this.passed.delete(identifier)
    }
  }
}

/** How long the store may take before the request passes without it. */
const STORE_TIMEOUT_MS = 400
/** After a fault requests pass unasked, and one look in this time finds out whether the store is back. */
const RETRY_AFTER_FAULT_MS = 5_000

/** Counts in Upstash Redis, for all processes together. A store that fails or hangs lets requests pass. */
export class UpstashRateLimiter implements RateLimiter {
  private readonly windows = new Map<number, Ratelimit>()
  private faultAt: number | null = null
  private probing = false

  constructor(
    private readonly redis: Redis,
    private readonly clock: Clock = systemClock,
  ) {}

  async limit(identifier: string, perMinute: number): Promise<Verdict> {
    if (this.faultAt === null) return this.ask(identifier, perMinute)
    if (!this.probing && this.clock.now().getTime() - this.faultAt >= RETRY_AFTER_FAULT_MS) {
      this.probing = true
      void this.ask(identifier, perMinute).finally(() => {
        this.probing = false
      })
    }
    return this.pass(perMinute)
  }

  private async ask(identifier: string, perMinute: number): Promise<Verdict> {
    try {
      const answer = await within(STORE_TIMEOUT_MS, this.window(perMinute).limit(identifier))
      if (this.faultAt !== null) log.info('the rate limiter’s store answers again')
      this.faultAt = null
      return {
        allowed: answer.success,
        limit: perMinute,
        remaining: Math.max(0, answer.remaining),
        resetAtMs: answer.reset,
        // At the very turn of the window the last one still weighs fully: a millisecond later one request passes.
        nextAtMs: answer.success && answer.remaining > 0 ? this.clock.now().getTime() : answer.reset + 1,
      }
    } catch (error) {
      if (this.faultAt === null) log.error({ err: error }, 'the rate limiter’s store cannot be reached: requests pass uncounted')
      this.faultAt = this.clock.now().getTime()
      return this.pass(perMinute)
    }
  }

  private pass(perMinute: number): Verdict {
    const now = this.clock.now().getTime()
    return { allowed: true, limit: perMinute, remaining: perMinute, resetAtMs: now + WINDOW_MS, nextAtMs: now }
  }

  private window(perMinute: number): Ratelimit {
    let window = this.windows.get(perMinute)
    if (!window) {
      // Its own time-out is off: it lets the request pass without saying so, and the fault would not be logged.
      window = new Ratelimit({
        redis: this.redis,
        limiter: Ratelimit.slidingWindow(perMinute, '60 s'),
        prefix: 'external-inventory',
        ephemeralCache: false,
        timeout: 0,
      })
      this.windows.set(perMinute, window)
    }
    return window
  }
}

const LIMITER = Symbol.for('external-inventory.rate-limiter')
const shared = globalThis as { [LIMITER]?: RateLimiter }

/** The process's limiter: Upstash where it is configured, else embedded. */
export function sharedRateLimiter(): RateLimiter {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token } = process.env
  // The client's own retries would spend the time that the request has.
  shared[LIMITER] ??= url && token ? new UpstashRateLimiter(new Redis({ url, token, retry: false, enableTelemetry: false })) : new EmbeddedRateLimiter()
  return shared[LIMITER]
}
