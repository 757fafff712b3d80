import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '../ops/testing/start-service'

/** The service as `npm start` runs it, on an embedded database that is thrown away at the end. */
export default async function setup(): Promise<() => Promise<void>> {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'external-inventory-e2e-'))
  const service = await startService({ DATA_DIR })
  process.env.SERVICE_URL = service.url
  process.env.SERVICE_KEY = service.key ?? ''
  process.env.SERVICE_OUTPUT = service.output()
  return async () => {
    await service.end('SIGTERM')
    await rm(DATA_DIR, { recursive: true, force: true })
  }
}
