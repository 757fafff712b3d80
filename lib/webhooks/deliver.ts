import type { Clock } from '../clock'
import { log } from '../log'
import { decrypt } from '../secrets'
import type { ClaimedDelivery } from './claim'
import { ROTATION_OVERLAP_MS } from './rules'
import { type SendOptions, type SendOutcome, send } from './send'
import { signedHeaders } from './sign'

/** The secrets that sign now: the previous one too, for a day after the rotation. */
export function signingSecrets(
  businessId: string,
  stored: Pick<ClaimedDelivery, 'secret' | 'previousSecret' | 'secretRotatedAt'>,
  now: Date,
): { secret: string; previous: string | null } {
  const overlaps =
    stored.previousSecret !== null && stored.secretRotatedAt !== null && now.getTime() - new Date(stored.secretRotatedAt).getTime() < ROTATION_OVERLAP_MS
  return {
    secret: decrypt(stored.secret, businessId),
    previous: overlaps && stored.previousSecret !== null ? decrypt(stored.previousSecret, businessId) : null,
  }
}

/** The body of a delivery (specification, Envelope). `data` is JSON text and goes in as it is. */
export const envelope = (id: string, type: string, createdAt: string, data: string): string =>
  `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"created_at":${JSON.stringify(createdAt)},"data":${data}}`

/** Signs a claimed event afresh and sends it once. Never throws. */
export async function deliver(delivery: ClaimedDelivery, clock: Clock, options?: SendOptions): Promise<SendOutcome> {
  const body = envelope(delivery.eventId, delivery.type, delivery.createdAt, delivery.data)
  try {
    const { secret, previous } = signingSecrets(delivery.businessId, delivery, clock.now())
    return await send(delivery.url, signedHeaders({ id: delivery.eventId, type: delivery.type, body }, secret, previous, clock.now()), body, options)
  } catch (error) {
    // The fault is ours, and using up the event's attempts for it would be wrong.
    log.error({ err: error, business_id: delivery.businessId }, 'a signing secret cannot be read: nothing was sent')
    return {
      ok: false,
      counts: false,
      status: null,
      durationMs: 0,
      excerpt: null,
      error: 'The signing secret could not be read, so nothing was sent. If this lasts, generate a new one.',
    }
  }
}
