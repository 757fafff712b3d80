import { spawnSync } from 'node:child_process'
import { findBrowser } from './browser'

/** `npm test`: the tests on their own embedded Postgres, then the journeys in a real browser. Arguments go to Vitest. */
const run = (script: string, args: string[], environment: Record<string, string> = {}) => {
  const { status } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit', env: { ...process.env, ...environment } })
  if (status !== 0) process.exit(status ?? 1)
}

const filters = process.argv.slice(2)
run('node_modules/vitest/vitest.mjs', ['run', '--config', 'db/testing/vitest.config.ts', ...filters])
if (filters.length === 0) {
  const { executablePath, environment } = await findBrowser()
  run('node_modules/@playwright/test/cli.js', ['test', '--config', 'e2e/playwright.config.ts'], { ...environment, BROWSER_PATH: executablePath })
}
