import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A signing secret as it is shown: `whsec_` and 32 random bytes in base64. */
export const makeSigningSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64')

export interface Delivery {
  id: string
  type: string
  /** The exact bytes that are sent. */
  body: string
}

/**
 * Headers of one delivery, signed at `now` (specification, Request headers of a delivery). Beside them go those of
 * Standard Webhooks, which for a day after a rotation carry the previous secret's signature too.
 */
export function signedHeaders(delivery: Delivery, secret: string, previousSecret: string | null, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const standard = [secret, previousSecret].flatMap((one) =>
    one === null ? [] : `v1,${hmac(decoded(one), `${delivery.id}.${timestamp}.${delivery.body}`).toString('base64')}`,
  )
  return {
    'content-type': 'application/json',
    'user-agent': 'External-Inventory-Webhooks/1.0',
    'x-service-event': delivery.type,
    'x-service-event-id': delivery.id,
    'x-service-timestamp': timestamp,
    // Keyed with the whole secret as shown; Standard Webhooks with the bytes that it encodes.
    'x-service-signature': `sha256=${hmac(secret, `${timestamp}.${delivery.body}`).toString('hex')}`,
    'webhook-id': delivery.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  }
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const decoded = (secret: string) => Buffer.from(secret.slice(PREFIX.length), 'base64')
