import { eq } from 'drizzle-orm'
import { integrations } from '@/db/schema'
import type { Context } from '../context'
import { AppError } from '../errors'
import { newId } from '../ids'
import { envelope, signingSecrets } from './deliver'
import { type SendOptions, send } from './send'
import { signedHeaders } from './sign'

export interface PingOutcome {
  ok: boolean
  status: number | null
  duration_ms: number
  error: string | null
  excerpt: string | null
}

/** Sends `integration.ping` at once, once, and tells what came of it. @throws AppError CONFLICT without an address */
export async function pingWebhook({ db, business, clock }: Context, options?: SendOptions): Promise<PingOutcome> {
  const [integration] = await db.select().from(integrations).where(eq(integrations.businessId, business.id))
  if (!integration?.webhookUrl || !integration.webhookSecret) throw new AppError('CONFLICT', 'There is no webhook address to test: set one first.')
  const now = clock.now()
  const id = newId()
  const type = 'integration.ping'
  const body = envelope(id, type, now.toISOString(), JSON.stringify({ sent_at: now.toISOString() }))
  const stored = {
    secret: integration.webhookSecret,
    previousSecret: integration.previousWebhookSecret,
    secretRotatedAt: integration.webhookSecretRotatedAt?.toISOString() ?? null,
  }
  const { secret, previous } = signingSecrets(business.id, stored, now)
  const outcome = await send(integration.webhookUrl, signedHeaders({ id, type, body }, secret, previous, now), body, options)
  return { ok: outcome.ok, status: outcome.status, duration_ms: outcome.durationMs, error: outcome.error, excerpt: outcome.excerpt }
}
