import type { z } from 'zod'
import type { KeyContext } from '../context'
import type { pingContract } from './contract'

/** POST /ping: what the key may do, and for whom. */
export async function ping({ business, actor }: KeyContext): Promise<z.output<typeof pingContract.answer>> {
  return { ok: true, tenant_id: business.id, key_prefix: actor.prefix, scopes: actor.scopes, integration: business.integration }
}
