import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Transaction } from '@/db/client'
import { integrations, orderEvents } from '@/db/schema'
import type { Context } from '../context'
import { validationFailed } from '../errors'
import { announceEvents } from '../events/announce'
import { encrypt } from '../secrets'
import { inTransaction } from '../transaction'
import { checkTarget, RefusedAddress } from './address'
import { makeSigningSecret } from './sign'

export interface WebhookChange {
  /** Null removes the address: events then wait in the feed, and none goes dead. */
  url: string | null
  /** Also sends the unconfirmed events that were recorded while there was no address. */
  sendOlder?: boolean
}

export interface ConfiguredWebhook {
  url: string | null
  /** The signing secret, when this call made the first one: shown this once. */
  secret: string | null
  /** Unconfirmed events of before that are not sent. */
  olderWaiting: number
}

/**
 * Sets where events are posted. The address is checked as it will be at every attempt. Events recorded from then on are
 * sent; older ones when it is asked for.
 * @throws AppError VALIDATION_FAILED, field `url`, saying what is wrong with the address
 */
export async function setWebhook({ db, business, clock }: Context, { url, sendOlder = false }: WebhookChange): Promise<ConfiguredWebhook> {
  if (url !== null) await refuseBadAddress(url)
  const now = clock.now()
  const { due, ...configured } = await inTransaction(db, async (tx) => {
    await tx.insert(integrations).values({ businessId: business.id }).onConflictDoNothing()
    const [held] = await tx.select().from(integrations).where(eq(integrations.businessId, business.id)).for('no key update')
    const secret = url !== null && !held?.webhookSecret ? makeSigningSecret() : null
    await tx
      .update(integrations)
      .set({ webhookUrl: url, updatedAt: now, ...(secret ? { webhookSecret: encrypt(secret, business.id) } : {}) })
      .where(eq(integrations.businessId, business.id))
    const changed = url === null ? await queue(tx, business.id, null) : sendOlder ? await queue(tx, business.id, now) : []
    const [older] = await tx
      .select({ count: sql<number>`count(*)::int` })
      .from(orderEvents)
      .where(and(eq(orderEvents.businessId, business.id), eq(orderEvents.state, 'pending'), isNull(orderEvents.nextAttemptAt)))
    return { url, secret, olderWaiting: older?.count ?? 0, due: url === null ? [] : changed }
  })
  await announceEvents(due.map(({ id }) => ({ businessId: business.id, eventId: id })))
  return configured
}

async function refuseBadAddress(url: string): Promise<void> {
  try {
    await checkTarget(url)
  } catch (error) {
    const issue = error instanceof RefusedAddress ? error.message : 'The name in the address was not found. Is it spelled right?'
    throw validationFailed([{ field: 'url', issue }])
  }
}

/** Makes every pending event that is not queued due at `at`, or takes every pending one out of the queue. */
const queue = (tx: Transaction, businessId: string, at: Date | null) =>
  tx
    .update(orderEvents)
    .set({ nextAttemptAt: at, lease: null })
    .where(
      and(
        eq(orderEvents.businessId, businessId),
        eq(orderEvents.state, 'pending'),
        at ? isNull(orderEvents.nextAttemptAt) : isNotNull(orderEvents.nextAttemptAt),
      ),
    )

/**
 * Makes a new signing secret, shown this once. For 24 hours the previous one signs the Standard Webhooks headers too, so
 * that a receiver can be changed over without losing a delivery.
 */
export async function rotateWebhookSecret({ db, business, clock }: Context): Promise<{ secret: string }> {
  const secret = makeSigningSecret()
  const sealed = encrypt(secret, business.id)
  const now = clock.now()
  await db
    .insert(integrations)
    .values({ businessId: business.id, webhookSecret: sealed })
    .onConflictDoUpdate({
      target: integrations.businessId,
      set: { previousWebhookSecret: integrations.webhookSecret, webhookSecret: sealed, webhookSecretRotatedAt: now, updatedAt: now },
    })
  return { secret }
}
