import type { Pool } from '@/db/client'
import type { Clock } from './clock'

export type Scope = 'stock:write' | 'catalog:read' | 'orders:read'

/** The business that a verb acts for: every query of the verb is limited to it. */
export interface Business {
  id: string
  slug: string
  name: string
  currency: string
  moduleEnabled: boolean
  storeEnabled: boolean
  /** Null when the business has never set one up. As it stood when the request came in. */
  integration: { direction: 'inbound' | 'bidirectional'; enabled: boolean } | null
}

/** Who asked. Recorded with what was done. */
export type Actor = { kind: 'key'; id: string; prefix: string; scopes: Scope[] } | { kind: 'operator' } | { kind: 'shopper' }

/** What a verb is given beside its input. It knows no transport. */
export interface Context<A extends Actor = Actor> {
  business: Business
  actor: A
  db: Pool
  clock: Clock
  requestId: string
}

export type KeyContext = Context<Extract<Actor, { kind: 'key' }>>
