import { and, isNotNull, isNull, lte } from 'drizzle-orm'
import type { Pool } from '@/db/client'
import { reservations, stockSubmissions } from '@/db/schema'
import type { Clock } from '../clock'
import { KEY_LIFETIME_MS } from '../stock/rules'

/**
 * Marks reservations past their 48 hours as released, and frees idempotency keys after 30 days. Nothing depends on when
 * it runs: what is past its time does not count before either.
 */
export async function keepTidy(db: Pool, clock: Clock): Promise<{ reservations: number; keys: number }> {
  const now = clock.now()
  const released = await db
    .update(reservations)
    .set({ releasedAt: now, releaseReason: 'expired' })
    .where(and(isNull(reservations.releasedAt), lte(reservations.expiresAt, now)))
  const freed = await db
    .update(stockSubmissions)
    .set({ idempotencyKey: null, results: null })
    .where(and(isNotNull(stockSubmissions.idempotencyKey), lte(stockSubmissions.createdAt, new Date(now.getTime() - KEY_LIFETIME_MS))))
  return { reservations: released.count, keys: freed.count }
}
