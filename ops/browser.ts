import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'

const SYSTEM_BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const NPM_BROWSER = '@sparticuz/chromium@153'

/**
 * A Chromium for the browser tests, and what its process needs in its environment: Playwright's own or the system's where
 * there is one; else downloaded, from Debian's packages (as root), or from npm.
 * @throws Error saying what to install
 */
export async function findBrowser(): Promise<{ executablePath: string; environment: Record<string, string> }> {
  const found = (executablePath: string) => ({ executablePath, environment: {} })
  if (existsSync(chromium.executablePath())) return found(chromium.executablePath())
  const installed = SYSTEM_BROWSERS.find((path) => existsSync(path))
  if (installed) return found(installed)
  console.log('No browser was found: installing one for the browser tests…')
  if (succeeds('npx', ['playwright', 'install', 'chromium']) && existsSync(chromium.executablePath())) return found(chromium.executablePath())
  if (process.getuid?.() === 0 && succeeds('apt-get', ['update']) && succeeds('apt-get', ['install', '-y', 'chromium'])) return found('/usr/bin/chromium')
  if (succeeds('npm', ['install', '--no-save', '--no-audit', '--no-fund', NPM_BROWSER])) return npmBrowser()
  throw new Error(
    'The browser tests need Chromium: install it with your system’s packages (apt-get install chromium), or with "npx playwright install chromium".',
  )
}

/** The npm package carries the browser and, for a bare system, the libraries that it needs. */
async function npmBrowser() {
  const folder = await mkdtemp(join(tmpdir(), 'external-inventory-browser-'))
  process.env.TMPDIR = folder
  const bin = join(createRequire(import.meta.url).resolve('@sparticuz/chromium/package.json'), '..', 'bin')
  const { default: packaged, inflate } = await import('@sparticuz/chromium' as string)
  await inflate(join(bin, 'al2023.tar.br'))
  return { executablePath: (await packaged.executablePath()) as string, environment: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), TMPDIR: folder } }
}

const succeeds = (command: string, args: string[]) =>
  spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status ===
  0
