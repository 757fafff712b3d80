import { sql } from 'drizzle-orm'
import type { Pool } from '@/db/client'
import type { Clock } from '../clock'
import { log } from '../log'
import { type ClaimedDelivery, claimDeliveries } from '../webhooks/claim'
import { deliver } from '../webhooks/deliver'
import { closeConnections, type SendOptions } from '../webhooks/send'
import { type Attempted, settleDeliveries } from '../webhooks/settle'
import { within } from '../within'

export interface WorkerOptions {
  db: Pool
  clock: Clock
  /** Deliveries under way at once. */
  concurrency: number
  send?: SendOptions
}

/** Where other processes say that events are due. */
const WAKE_CHANNEL = 'order_events'
/** Tells the workers of other processes that events are due. */
export async function notifyWorkers(db: Pool): Promise<void> {
  await db.execute(sql`select pg_notify(${WAKE_CHANNEL}, '')`)
}

/** How often the database is looked at when nobody has woken us: retries, and wake-ups that were lost. */
const POLL_MS = 1000
/** So often the database is looked at for one or two free places. */
const SMALL_LOOK_MS = 50
/** So often it is looked at for receivers that fail or are slow. */
const FAILING_LOOK_MS = 1500
/** A delivery that takes longer than this no longer counts as a quick one. */
const SLOW_AFTER_MS = 1000
/** A query that is not answered by then is lost with its connection. */
const QUERY_TIMEOUT_MS = 40_000
/** After a fault of the database; the work is in its rows and waits. */
const FAULT_PAUSE_MS = 1000
/** Events whose outcome cannot be recorded are made again after their lease; in the meantime it is tried this often. */
const SETTLE_RETRIES = 5

/**
 * Delivers events from inside the server's process. The rows are the truth: it takes what is due, sends, and records;
 * being woken only makes it sooner. A business whose receiver fails gets one place in a lane of its own, so that it slows
 * down nobody else.
 */
export class DeliveryWorker {
  private readonly underWay = new Map<string, number>()
  /** Businesses whose last delivery from here failed, or took long. */
  private readonly failing = new Set<string>()
  private healthy = 0
  private ailing = 0
  private settled: Attempted[] = []
  private settling: Promise<void> | null = null
  private running = true
  private lookedAt = 0
  private lookedAtFailingAt = 0
  private wakeUp: (() => void) | null = null
  private woken = false
  private unlisten: (() => Promise<void>) | null = null
  private loop: Promise<void> | null = null

  constructor(private readonly options: WorkerOptions) {}

  async start(): Promise<void> {
    this.loop = this.run()
    const { unlisten } = await this.options.db.$client.listen(WAKE_CHANNEL, () => this.wake())
    this.unlisten = unlisten
  }

  /** Something is due. */
  wake = (): void => {
    this.woken = true
    this.wakeUp?.()
  }

  /** Takes nothing more, finishes what is under way (10 s at most) and records it. */
  async stop(): Promise<void> {
    this.running = false
    this.wake()
    await this.loop
    while (this.healthy + this.ailing > 0 || this.settling) await (this.settling ?? new Promise((again) => setTimeout(again, 20)))
    await this.unlisten?.().catch(() => {})
    await closeConnections()
  }

  private async run(): Promise<void> {
    while (this.running) {
      this.woken = false
      const taken = await this.takeMore().catch((error) => {
        log.error({ err: error }, 'due events could not be looked up; it is tried again')
        return -1
      })
      if (taken <= 0 && !this.woken && this.running) await this.rest(taken < 0 ? FAULT_PAUSE_MS : POLL_MS)
    }
  }

  private rest(milliseconds: number): Promise<void> {
    return new Promise<void>((rested) => {
      const timer = setTimeout(rested, milliseconds)
      this.wakeUp = () => {
        clearTimeout(timer)
        rested()
      }
    }).finally(() => {
      this.wakeUp = null
    })
  }

  private async takeMore(): Promise<number> {
    const { db, clock, concurrency } = this.options
    const now = clock.now()
    const room = concurrency - this.healthy
    // A few places at a time would mean a look at the database for each of them; yet they are not left empty for long.
    const worthwhile = room >= Math.max(1, Math.ceil(concurrency / 4)) || (room > 0 && Date.now() - this.lookedAt >= SMALL_LOOK_MS)
    if (worthwhile) this.lookedAt = Date.now()
    const perBusiness = Math.max(1, Math.ceil(concurrency / 4))
    const claims = worthwhile
      ? await within(QUERY_TIMEOUT_MS, claimDeliveries(db, { now, limit: room, perBusiness, underWay: this.underWay, except: [...this.failing] }))
      : []
    for (const delivery of claims) void this.attempt(delivery, 'healthy')
    const lane = Math.max(1, Math.ceil(concurrency / 4)) - this.ailing
    const lookAtFailing = lane > 0 && this.failing.size > 0 && Date.now() - this.lookedAtFailingAt >= FAILING_LOOK_MS
    if (lookAtFailing) this.lookedAtFailingAt = Date.now()
    const retries = lookAtFailing
      ? await within(QUERY_TIMEOUT_MS, claimDeliveries(db, { now, limit: lane, perBusiness: 1, underWay: this.underWay, only: [...this.failing] }))
      : []
    for (const delivery of retries) void this.attempt(delivery, 'ailing')
    return claims.length + retries.length
  }

  private async attempt(delivery: ClaimedDelivery, lane: 'healthy' | 'ailing'): Promise<void> {
    const { businessId } = delivery
    let current = lane
    this[current] += 1
    this.underWay.set(businessId, (this.underWay.get(businessId) ?? 0) + 1)
    // Whoever takes long makes room, and gets the slow lane until it is quick again.
    const slow = setTimeout(() => {
      this.failing.add(businessId)
      this[current] -= 1
      current = 'ailing'
      this.ailing += 1
      this.wake()
    }, SLOW_AFTER_MS)
    const startedAt = Date.now()
    const outcome = await deliver(delivery, this.options.clock, this.options.send)
    clearTimeout(slow)
    if (outcome.ok && Date.now() - startedAt < SLOW_AFTER_MS) this.failing.delete(businessId)
    else this.failing.add(businessId)
    log.info(
      {
        business_id: businessId,
        event_id: delivery.eventId,
        attempt: delivery.attempt,
        status: outcome.status,
        duration_ms: outcome.durationMs,
        error: outcome.error,
      },
      'delivery',
    )
    const left = (this.underWay.get(businessId) ?? 1) - 1
    if (left > 0) this.underWay.set(businessId, left)
    else this.underWay.delete(businessId)
    this.settled.push({ delivery, outcome })
    this[current] -= 1
    this.settling ??= this.settleAll()
    this.wake()
  }

  /** Whatever came in while the last ones were recorded is recorded together. */
  private async settleAll(): Promise<void> {
    try {
      while (this.settled.length > 0) {
        const batch = this.settled.splice(0)
        await this.settle(batch)
        this.wake()
      }
    } finally {
      this.settling = null
    }
  }

  private async settle(batch: Attempted[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await within(QUERY_TIMEOUT_MS, settleDeliveries(this.options.db, this.options.clock, batch))
        return
      } catch (error) {
        log.error({ err: error, events: batch.map(({ delivery }) => delivery.eventId) }, 'outcomes of deliveries could not be recorded')
        if (attempt === SETTLE_RETRIES) return
        await new Promise((again) => setTimeout(again, FAULT_PAUSE_MS))
      }
    }
  }
}
