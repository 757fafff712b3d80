import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import { openPool, type Pool } from './client'
import journal from './migrations/meta/_journal.json' with { type: 'json' }

const FOLDER = join(process.cwd(), 'db', 'migrations')
/** Any number will do, as long as every process uses the same: one migrates, the others wait. */
const MIGRATION_LOCK = 7_201_955

/** Brings the database at `url` to the newest schema. Safe when several processes start at once. */
export async function migrateDatabase(url: string): Promise<void> {
  const pool = openPool(url, { max: 1, applicationName: 'external-inventory migrate' })
  try {
    await pool.execute(sql`set statement_timeout = 0`)
    await pool.execute(sql`select pg_advisory_lock(${MIGRATION_LOCK})`)
    await migrate(pool, { migrationsFolder: FOLDER })
  } finally {
    await pool.$client.end({ timeout: 5 })
  }
}

/** Whether every migration this code was built with has been applied. */
export async function isMigrated(pool: Pool): Promise<boolean> {
  const newest = Math.max(...journal.entries.map((entry) => entry.when))
  const [row] = await pool.execute<{ newest: string | null }>(sql`select max(created_at)::text as newest from drizzle.__drizzle_migrations`)
  return Number(row?.newest ?? 0) >= newest
}
