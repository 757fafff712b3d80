import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../embedded'
import { migrateDatabase } from '../migrate'

declare module 'vitest' {
  interface ProvidedContext {
    templateUrl: string
  }
}

/** One real Postgres for the whole run, with a migrated database that every test file gets a copy of. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'external-inventory-test-'))
  const database = await startEmbedded({ dataDir, durable: false })
  await migrateDatabase(database.url)
  project.provide('templateUrl', database.url)
  return async () => {
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
