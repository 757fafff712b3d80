import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import nextEnv from '@next/env'
import next from 'next'
import { closeSharedPool, openPool, sharedPool } from '@/db/client'
import { type EmbeddedDatabase, EmbeddedDatabaseError, isAlive } from '@/db/embedded'
import { systemClock } from '@/lib/clock'
import { readSettings, type Settings, SettingsError } from '@/lib/env'
import { announceWith } from '@/lib/events/announce'
import { trustForwardedFor } from '@/lib/http/source-ip'
import { DeliveryWorker } from '@/lib/jobs/delivery-worker'
import { usesInngest } from '@/lib/jobs/engine'
import { keepTidy } from '@/lib/jobs/keep-tidy'
import { log } from '@/lib/log'
import { openEmbeddedDatabase, prepareDatabase, StartError } from './database'
import { makeDemo } from './demo'
import { frontServer, type RequestHandler } from './front-server'

const TIDY_INTERVAL_MS = 10 * 60_000
/** Requests in flight may take this long after SIGTERM; nothing here takes longer than its deadline of 10 s. */
const DRAIN_TIMEOUT_MS = 20_000

/** A second signal after this time means: at once. */
const REPEAT_MS = 1000

const progress = (message: string) => console.log(`  ${message}`)

/** `npm start`: database, schema, demo data, server, in that order, and all of it down again at the end. */
async function serve(): Promise<void> {
  nextEnv.loadEnvConfig(process.cwd(), false, { info: () => {}, error: console.error })
  const settings = readSettings()
  const embedded = !settings.DATABASE_URL
  if (embedded) await refuseSecondStart(settings)

  let handler: RequestHandler = (_, response) => response.writeHead(503, { 'Retry-After': '1' }).end('Starting\n')
  const server = frontServer(settings.TRUSTED_PROXY_HOPS, () => handler)
  const host = settings.HOST ?? (embedded ? '127.0.0.1' : undefined)
  const port = await listen(server, settings.PORT, host)
  const url = `http://${!host || host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`

  console.log('External Inventory')
  const database = embedded ? await openEmbeddedDatabase(settings, progress) : undefined
  let worker: DeliveryWorker | undefined
  stopOnSignals(settings, server, database, async () => worker?.stop())
  progress('Migrating the database')
  await prepareDatabase(process.env.DATABASE_URL ?? '')
  const welcome = embedded ? await makeDemo(sharedPool(), url, progress) : null
  // Said as soon as it is known: it is never said again.
  if (welcome) console.log(`\n${welcome}\n`)

  if (!usesInngest()) worker = await startWorker(settings)
  trustForwardedFor()
  const app = next({ dev: false, dir: process.cwd(), hostname: host ?? 'localhost', port })
  await app.prepare()
  handler = app.getRequestHandler()
  if (embedded) writeFileSync(runningFile(settings), JSON.stringify({ pid: process.pid, url }))
  keepTidyEvery(TIDY_INTERVAL_MS)
  console.log(`\nReady at ${settings.APP_URL ?? url}\n`)
}

function listen(server: ReturnType<typeof frontServer>, port: number, host: string | undefined): Promise<number> {
  return new Promise((listening, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        failed(new StartError(`Port ${port} is taken by another program. Stop it, or choose another port: PORT=${port + 1} npm start`))
      else if (error.code === 'EACCES') failed(new StartError(`Port ${port} may not be opened by this user. Choose one above 1023 with PORT.`))
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') failed(new StartError(`HOST=${host} is no address of this machine.`))
      else failed(error)
    })
    server.listen(port, host, () => listening((server.address() as AddressInfo).port))
  })
}

/** Delivers webhooks from this process, where Inngest does not. Its connections are its own: requests do not wait for it. */
async function startWorker(settings: Settings): Promise<DeliveryWorker> {
  const db = openPool(process.env.DATABASE_URL ?? '', { max: 4, applicationName: 'external-inventory worker' })
  const worker = new DeliveryWorker({ db, clock: systemClock, concurrency: settings.WEBHOOK_CONCURRENCY })
  announceWith(worker.wake)
  await worker.start()
  return worker
}

const runningFile = (settings: Settings) => join(settings.DATA_DIR, 'server.json')

/** @throws StartError when the service already runs on this data folder */
async function refuseSecondStart(settings: Settings): Promise<void> {
  mkdirSync(settings.DATA_DIR, { recursive: true, mode: 0o711 })
  let running: { pid: number; url: string }
  try {
    running = JSON.parse(readFileSync(runningFile(settings), 'utf8'))
  } catch {
    return
  }
  const answered = await fetch(`${running.url}/api/health`, { signal: AbortSignal.timeout(2000) }).then(
    (response) => response.ok,
    () => false,
  )
  if (answered && isAlive(running.pid))
    throw new StartError(
      `The service is already running at ${running.url} (process ${running.pid}). Stop it there with Ctrl-C, or start another one with its own DATA_DIR and PORT.`,
    )
}

function keepTidyEvery(intervalMs: number): void {
  const tidy = () => keepTidy(sharedPool(), systemClock).catch((error) => log.error({ err: error }, 'tidying failed; it is tried again'))
  void tidy()
  setInterval(tidy, intervalMs).unref()
}

function stopOnSignals(
  settings: Settings,
  server: ReturnType<typeof frontServer>,
  database: EmbeddedDatabase | undefined,
  stopWorker: () => Promise<void>,
): void {
  let stopping = false
  let stoppedAt = 0
  const stop = async (reason: string, code: number) => {
    if (stopping) {
      // npm passes on a Ctrl-C that the terminal has sent us already: one press is not two.
      if (Date.now() - stoppedAt > REPEAT_MS) process.exit(1)
      return
    }
    stopping = true
    stoppedAt = Date.now()
    console.log(`\n${reason}: finishing requests…`)
    const drained = Promise.all([new Promise((done) => server.close(done)), stopWorker()])
    server.closeIdleConnections()
    // A connection that a client keeps open would hold the server until its time-out.
    const idle = setInterval(() => server.closeIdleConnections(), 100)
    await Promise.race([drained, new Promise((late) => setTimeout(late, DRAIN_TIMEOUT_MS))])
    clearInterval(idle)
    await closeSharedPool()
    rmSync(runningFile(settings), { force: true })
    await database?.stop()
    console.log('Stopped.')
    process.exit(code)
  }
  process.on('SIGINT', () => void stop('Interrupted', 0))
  process.on('SIGTERM', () => void stop('Terminated', 0))
  void database?.failed.then((reason) => void stop(`Stopping, because ${reason}`, 1))
  stopWithParent(() => void stop('npm has gone', 0))
}

/** npm that was killed outright cannot tell us: without this the server would stay behind and hold the port. */
function stopWithParent(stop: () => void): void {
  if (process.env.npm_lifecycle_event !== 'start') return
  const parent = process.ppid
  const look = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(look)
    stop()
  }, 1000)
  look.unref()
}

serve().catch((error) => {
  const expected = error instanceof StartError || error instanceof SettingsError || error instanceof EmbeddedDatabaseError
  console.error(`\n${expected ? error.message : (error?.stack ?? error)}`)
  process.exit(1)
})
