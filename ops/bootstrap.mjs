// Runs on bare Node, before anything is installed: installs by the lock file, builds when the source has changed, then
// hands over to the TypeScript that was asked for. Usage: node ops/bootstrap.mjs start|ops|test|bench|example [arguments]
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const TASKS = {
  start: { entry: 'ops/serve.ts', built: true, mode: 'production' },
  ops: { entry: 'ops/cli.ts', built: false },
  test: { entry: 'ops/test.ts', built: true },
  bench: { entry: 'bench/main.ts', built: true },
  example: { entry: 'examples/integrator/main.ts', built: false },
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 9)) fail(`Node ${process.versions.node} is too old: version 20.9 or newer is needed.`)
const task = TASKS[process.argv[2]]
if (!task) fail(`usage: node ops/bootstrap.mjs ${Object.keys(TASKS).join('|')}`)

// Commands may be called from anywhere; file arguments of theirs are relative to where the caller stood.
process.env.INVOKED_FROM = process.env.INIT_CWD ?? process.cwd()
process.chdir(ROOT)
install()
if (task.built) build()
if (task.mode) process.env.NODE_ENV = task.mode
process.argv.splice(1, 2, join(ROOT, task.entry))
const { register } = await import('tsx/esm/api')
register()
await import(pathToFileURL(join(ROOT, task.entry)).href)

function install() {
  const stamp = 'node_modules/.installed-from'
  const wanted = hash(['package-lock.json'])
  if (read(stamp) === wanted) return
  say('Installing packages (once; this takes about half a minute)…')
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : [process.platform === 'win32' ? 'npm.cmd' : 'npm']
  run([...npm, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], 'Packages could not be installed.')
  writeFileSync(stamp, wanted)
}

function build() {
  const stamp = '.next/built-from'
  const sources = ['app', 'lib', 'db'].flatMap(filesOf).filter((file) => !file.includes('.test.'))
  const wanted = hash([...sources, 'instrumentation.ts', 'next.config.ts', 'tsconfig.json', 'package-lock.json'])
  if (read(stamp) === wanted && existsSync('.next/BUILD_ID')) return
  say('Building (after each change of the source; this takes about half a minute)…')
  run([process.execPath, 'node_modules/next/dist/bin/next', 'build'], 'The build failed.', { NODE_ENV: 'production' })
  writeFileSync(stamp, wanted)
}

function run([command, ...args], failure, env = {}) {
  // Standard output belongs to the task that follows: a command's JSON must stand there alone.
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 2, 2], env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env } })
  if (status !== 0) fail(`${failure}${error ? ` ${error.message}` : ''}`)
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

function hash(files) {
  const digest = createHash('sha256').update(process.version)
  for (const file of files) digest.update(file).update(readFileSync(file))
  return digest.digest('hex')
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

function say(message) {
  console.error(message)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
