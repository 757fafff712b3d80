import type { Announcer } from '../events/announce'

/** Whether Inngest is configured, by its own variables: both keys, for its cloud or a self-hosted server, or a dev server. */
export const usesInngest = (): boolean => {
  const { INNGEST_EVENT_KEY: eventKey, INNGEST_SIGNING_KEY: signingKey, INNGEST_DEV: dev } = process.env
  return Boolean((eventKey && signingKey) || (dev && dev !== '0' && dev !== 'false'))
}

/** Tells Inngest of due events. Its library is large, and loaded only by who uses it. */
export const inngestAnnouncer: Announcer = async (events) => {
  const { announceToInngest } = await import('./inngest')
  await announceToInngest(events)
}
