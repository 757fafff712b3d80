/** Runs once where a server of Next starts: reads the settings, and with Inngest configured announces order events to it. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { readSettings } = await import('@/lib/env')
  const { inngestAnnouncer, usesInngest } = await import('@/lib/jobs/engine')
  const { announceWith, isAnnouncing } = await import('@/lib/events/announce')
  const { log } = await import('@/lib/log')
  const { isLostConnectionFault } = await import('@/db/lost-connection')
  process.on('uncaughtException', (error) => {
    if (isLostConnectionFault(error)) return log.error({ err: error }, 'a connection to the database was lost')
    log.fatal({ err: error }, 'ended by a fault')
    process.exit(1)
  })
  readSettings()
  if (usesInngest()) announceWith(inngestAnnouncer)
  else if (!isAnnouncing())
    log.error(
      'webhooks are not delivered: this process keeps no worker, and Inngest is not configured. Start with "npm start", or set INNGEST_EVENT_KEY and INNGEST_SIGNING_KEY.',
    )
}
