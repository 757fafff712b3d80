/** Runs once where a server of Next starts: with Inngest configured, order events are announced to it. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { inngestAnnouncer, usesInngest } = await import('@/lib/jobs/engine')
  const { announceWith } = await import('@/lib/events/announce')
  const { log } = await import('@/lib/log')
  if (usesInngest()) announceWith(inngestAnnouncer)
  else if (process.env.VERCEL)
    log.error(
      'webhooks are not delivered: this platform keeps no process running, and Inngest is not configured. Set INNGEST_EVENT_KEY and INNGEST_SIGNING_KEY.',
    )
}
