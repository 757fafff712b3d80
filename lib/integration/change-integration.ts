import { integrations } from '@/db/schema'
import type { Context } from '../context'

export interface IntegrationChange {
  enabled?: boolean
  direction?: 'inbound' | 'bidirectional'
}

/** Sets what is given and leaves the rest; a business that has no integration gets one. */
export async function changeIntegration({ db, business, clock }: Context, change: IntegrationChange): Promise<{ enabled: boolean; direction: string }> {
  const [integration] = await db
    .insert(integrations)
    .values({ businessId: business.id, ...change })
    .onConflictDoUpdate({ target: integrations.businessId, set: { ...change, updatedAt: clock.now() } })
    .returning({ enabled: integrations.enabled, direction: integrations.direction })
  if (!integration) throw new Error('the integration was not written')
  return integration
}
