import type { Announcer } from '../events/announce'

/** Whether Inngest is configured, by its own variables: keys for its cloud, or the address of a dev or self-hosted server. */
export const usesInngest = (): boolean => {
  const { INNGEST_EVENT_KEY: eventKey, INNGEST_SIGNING_KEY: signingKey, INNGEST_DEV: dev, INNGEST_BASE_URL: base } = process.env
  return Boolean((eventKey && signingKey) || (dev && dev !== '0') || base)
}

/** Tells Inngest of due events. Its library is large, and loaded only by who uses it. */
export const inngestAnnouncer: Announcer = async (businessId, eventIds) => {
  const { announceToInngest } = await import('./inngest')
  await announceToInngest(businessId, eventIds)
}
