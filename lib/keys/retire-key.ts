import { and, asc, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '@/db/client'
import { apiKeys } from '@/db/schema'
import type { Context } from '../context'
import { AppError } from '../errors'
import { newId } from '../ids'
import { inTransaction } from '../transaction'
import type { ShownKey } from './create-key'
import { makeKey } from './rules'

/** From now on the key is answered API_KEY_REVOKED. @throws AppError NOT_FOUND, also for a key that was revoked before */
export async function revokeKey({ db, business, clock }: Context, prefix: string): Promise<void> {
  await inTransaction(db, (tx) => revoke(tx, business.id, prefix, clock.now()))
}

/** Puts a new key with the same name and scopes in the place of this one, which is revoked. @throws AppError NOT_FOUND */
export async function rotateKey({ db, business, clock }: Context, prefix: string): Promise<ShownKey> {
  const { key, prefix: newPrefix, secretHash } = makeKey()
  await inTransaction(db, async (tx) => {
    const replacement = newId()
    const { name, scopes } = await revoke(tx, business.id, prefix, clock.now(), replacement)
    await tx.insert(apiKeys).values({ businessId: business.id, id: replacement, name, prefix: newPrefix, secretHash, scopes, createdAt: clock.now() })
  })
  return { key, key_prefix: newPrefix }
}

async function revoke(tx: Transaction, businessId: string, prefix: string, now: Date, replacedById: string | null = null) {
  const [key] = await tx
    .update(apiKeys)
    .set({ revokedAt: now, replacedById })
    .where(and(eq(apiKeys.businessId, businessId), eq(apiKeys.prefix, prefix), isNull(apiKeys.revokedAt)))
    .returning()
  if (!key) throw new AppError('NOT_FOUND', `There is no active key ${prefix}. "key list" shows them all.`)
  return key
}

export interface ListedKey {
  key_prefix: string
  name: string
  scopes: string[]
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
}

export async function listKeys({ db, business }: Context): Promise<ListedKey[]> {
  const keys = await db.select().from(apiKeys).where(eq(apiKeys.businessId, business.id)).orderBy(asc(apiKeys.createdAt))
  return keys.map((key) => ({
    key_prefix: key.prefix,
    name: key.name,
    scopes: key.scopes,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }))
}
