import { eq, sql } from 'drizzle-orm'
import type { Pool } from '@/db/client'
import { apiKeys, businesses, integrations } from '@/db/schema'
import type { Clock } from '../clock'
import type { KeyContext, Scope } from '../context'
import { AppError } from '../errors'
import { matchesHash, parseKey } from './rules'

/** `last_used_at` is for people: a write a minute tells them as much as a write a request. */
const LAST_USED_RESOLUTION_MS = 60_000

/**
 * Who a presented key belongs to, with the state of the business that the later checks need.
 * @throws AppError INVALID_API_KEY for an unknown key or one of the wrong shape, API_KEY_REVOKED for a revoked or
 * rotated one (specification, Authentication)
 */
export async function authenticateKey(db: Pool, clock: Clock, presented: string | null): Promise<Pick<KeyContext, 'business' | 'actor'>> {
  const parts = presented === null ? null : parseKey(presented)
  if (!parts) throw invalidKey()
  const [found] = await db
    .select({ key: apiKeys, business: businesses, direction: integrations.direction, enabled: integrations.enabled })
    .from(apiKeys)
    .innerJoin(businesses, eq(businesses.id, apiKeys.businessId))
    .leftJoin(integrations, eq(integrations.businessId, apiKeys.businessId))
    .where(eq(apiKeys.prefix, parts.prefix))
  if (!found || !matchesHash(parts.secret, found.key.secretHash)) throw invalidKey()
  const { key, business, direction, enabled } = found
  if (key.revokedAt) {
    throw new AppError('API_KEY_REVOKED', 'This API key was revoked or replaced. Use the key that the business has now.')
  }
  const now = clock.now()
  if (!key.lastUsedAt || now.getTime() - key.lastUsedAt.getTime() > LAST_USED_RESOLUTION_MS) {
    await db.update(apiKeys).set({ lastUsedAt: now }).where(sql`${apiKeys.businessId} = ${key.businessId} and ${apiKeys.id} = ${key.id}`)
  }
  return {
    business: { ...business, integration: direction && enabled !== null ? { direction, enabled } : null },
    actor: { kind: 'key', id: key.id, prefix: key.prefix, scopes: key.scopes as Scope[] },
  }
}

const invalidKey = () =>
  new AppError('INVALID_API_KEY', 'The API key is missing or not known. Send it as "Authorization: Bearer svk_live_…", exactly as the panel showed it.')
