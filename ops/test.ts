import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { findBrowser } from './browser'

const VITEST_REPORT = 'test-results/vitest.json'
const PLAYWRIGHT_REPORT = 'test-results/playwright.json'

/** `npm test`: the tests on their own embedded Postgres, then the journeys in a real browser. Arguments go to Vitest. */
const run = (script: string, args: string[], environment: Record<string, string> = {}) => {
  const { status } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit', env: { ...process.env, ...environment } })
  if (status !== 0) process.exit(status ?? 1)
}

const read = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8'))

const filters = process.argv.slice(2)
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${VITEST_REPORT}`]
run('node_modules/vitest/vitest.mjs', ['run', '--config', 'db/testing/vitest.config.ts', ...reporters, ...filters])
const { numPassedTests, numPendingTests } = read<{ numPassedTests: number; numPendingTests: number }>(VITEST_REPORT)
let passed = numPassedTests
if (filters.length === 0) {
  const { executablePath, environment } = await findBrowser()
  run('node_modules/@playwright/test/cli.js', ['test', '--config', 'e2e/playwright.config.ts'], {
    ...environment,
    BROWSER_PATH: executablePath,
  })
  passed += read<{ stats: { expected: number } }>(PLAYWRIGHT_REPORT).stats.expected
}
console.log(`\n${passed} passed, 0 failed${numPendingTests > 0 ? `, ${numPendingTests} skipped` : ''}`)
