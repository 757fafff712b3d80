import { sharedPool } from '@/db/client'
import { isMigrated } from '@/db/migrate'
import { isAnnouncing } from '@/lib/events/announce'
import { usesInngest } from '@/lib/jobs/engine'
import { log } from '@/lib/log'

const READY_WITHIN_MS = 3000

/** Readiness: the database answers and has the newest schema. 503 with the reason while it does not. */
export async function GET(): Promise<Response> {
  const late = new Promise<string>((report) => setTimeout(() => report('the database does not answer'), READY_WITHIN_MS).unref())
  const checked = isMigrated(sharedPool()).then(
    (migrated) => (migrated ? null : 'the database is not migrated: run "npm run db:migrate"'),
    (error) => {
      log.error({ err: error }, 'not ready')
      return 'the database cannot be reached'
    },
  )
  const reason = await Promise.race([checked, late])
  return Response.json(
    reason ? { status: 'unavailable', reason } : { status: 'ready', webhooks: usesInngest() ? 'inngest' : isAnnouncing() ? 'worker' : 'not delivered' },
    {
      status: reason ? 503 : 200,
      headers: { 'Cache-Control': 'no-store' },
    },
  )
}

export const dynamic = 'force-dynamic'
