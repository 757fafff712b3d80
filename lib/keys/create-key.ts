import { z } from 'zod'
import { apiKeys } from '@/db/schema'
import type { Context, Scope } from '../context'
import { text } from '../fields'
import { newId } from '../ids'
import { makeKey } from './rules'

export const SCOPES = ['stock:write', 'catalog:read', 'orders:read'] as const satisfies readonly Scope[]

export const newKey = z.object({
  name: text(1, 100),
  scopes: z
    .array(z.enum(SCOPES, { error: `must be among ${SCOPES.join(', ')}` }))
    .min(1, 'must name at least one scope')
    .transform((scopes) => SCOPES.filter((scope) => scopes.includes(scope))),
})

/** A key as its maker sees it: the one time that it is shown. */
export interface ShownKey {
  key: string
  key_prefix: string
}

/** Makes an API key. It is stored as a hash only: what is answered here is never shown again. */
export async function createKey({ db, business, clock }: Context, { name, scopes }: z.output<typeof newKey>): Promise<ShownKey> {
  const { key, prefix, secretHash } = makeKey()
  await db.insert(apiKeys).values({ businessId: business.id, id: newId(), name, prefix, secretHash, scopes, createdAt: clock.now() })
  return { key, key_prefix: prefix }
}
