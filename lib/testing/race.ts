import { setTimeout as sleep } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import { openPool, type Pool } from '@/db/client'

/** Runs `meanwhile` while another transaction holds what `lock` takes, and lets go once `waiters` statements wait. */
export async function whileLocked<T>(lock: SQL, waiters: number, meanwhile: () => Promise<T>): Promise<T> {
  // Connections of its own: those of the code under test may all be waiting.
  const own = openPool(process.env.DATABASE_URL ?? '', { max: 2 })
  let running: Promise<T> | undefined
  try {
    await own.transaction(async (tx) => {
      await tx.execute(lock)
      running = meanwhile()
      running.catch(() => {})
      await untilWaiting(own, waiters)
    })
    return await (running as unknown as Promise<T>)
  } finally {
    await own.$client.end()
  }
}

async function untilWaiting(db: Pool, count: number): Promise<void> {
  for (;;) {
    const [row] = await db.execute<{ waiting: number }>(sql`
      select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    if ((row?.waiting ?? 0) >= count) return
    await sleep(5)
  }
}
