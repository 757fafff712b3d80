import { z } from 'zod'
import { defineContract } from '../contract'

export const DIRECTIONS = ['inbound', 'bidirectional'] as const

export const pingContract = defineContract({
  method: 'POST',
  path: '/ping',
  summary: 'Confirms that the key is valid, and tells the business, the scopes and the state of the integration.',
  scope: null,
  limitPerMinute: 30,
  answer: z.object({
    ok: z.boolean(),
    tenant_id: z.guid(),
    key_prefix: z.string(),
    scopes: z.array(z.enum(['stock:write', 'catalog:read', 'orders:read'])),
    integration: z.object({ direction: z.enum(DIRECTIONS), enabled: z.boolean() }).nullable(),
  }),
})
