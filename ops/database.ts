import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openPool, type Pool } from '@/db/client'
import { type EmbeddedDatabase, findRunningEmbedded, startEmbedded } from '@/db/embedded'
import { migrateDatabase } from '@/db/migrate'
import type { Settings } from '@/lib/env'
import { announceWith } from '@/lib/events/announce'
import { notifyWorkers } from '@/lib/jobs/delivery-worker'
import { inngestAnnouncer, usesInngest } from '@/lib/jobs/engine'

/** A failure whose message alone is for the person at the terminal. */
export class StartError extends Error {}

/** Starts the embedded database and sets what the service reads from the environment. */
export async function openEmbeddedDatabase(settings: Settings, onProgress: (message: string) => void): Promise<EmbeddedDatabase> {
  const database = await startEmbedded({ dataDir: settings.DATA_DIR, onProgress })
  process.env.DATABASE_URL = database.url
  await loadEmbeddedSecret(settings)
  return database
}

async function loadEmbeddedSecret(settings: Settings): Promise<void> {
  // A database of the service's own is a local trial: webhooks to this machine need no second setting.
  process.env.WEBHOOK_ALLOW_LOCAL_IN_PRODUCTION = '1'
  // An empty setting counts as none.
  process.env.APP_SECRET ||= await embeddedSecret(settings.DATA_DIR)
}

async function embeddedSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, 'app-secret')
  const known = await readFile(path, 'utf8').catch(() => null)
  if (known) return known
  const made = randomBytes(32).toString('base64')
  await mkdir(dataDir, { recursive: true })
  await writeFile(path, made, { mode: 0o600 })
  return made
}

/** Brings the database to the newest schema. @throws StartError saying which database could not be reached, and why */
export async function prepareDatabase(url: string): Promise<void> {
  try {
    await migrateDatabase(url)
  } catch (error) {
    const reason = rootCause(error)
    const { host, pathname } = new URL(url)
    throw new StartError(
      `The database ${pathname.slice(1)} at ${host} cannot be used: ${reason}. Check DATABASE_URL, and that the server runs and lets this user in.`,
    )
  }
}

function rootCause(error: unknown): string {
  let cause = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  if (!(cause instanceof Error)) return String(cause)
  return cause.message || (cause as { code?: string }).code || cause.name
}

/** Runs `work` on the database that the service uses: the one it was given, the one that is running, or one started for this. */
export async function withDatabase<T>(settings: Settings, work: (db: Pool) => Promise<T>): Promise<T> {
  let owned: EmbeddedDatabase | undefined
  let url = settings.DATABASE_URL ?? (await findRunningEmbedded(settings.DATA_DIR))
  if (!url) {
    owned = await startEmbedded({ dataDir: settings.DATA_DIR, join: true })
    url = owned.url
  }
  if (!settings.DATABASE_URL) await loadEmbeddedSecret(settings)
  await prepareDatabase(url)
  const db = openPool(url, { max: 4, applicationName: 'external-inventory ops' })
  // The process that serves delivers; this one tells it.
  announceWith(usesInngest() ? inngestAnnouncer : () => notifyWorkers(db))
  try {
    return await work(db)
  } finally {
    await db.$client.end({ timeout: 5 })
    await owned?.stop()
  }
}
