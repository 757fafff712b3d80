import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results/browser',
  globalSetup: './start-service.ts',
  workers: 1,
  reporter: [['list'], ['json', { outputFile: '../test-results/playwright.json' }]],
  use: {
    screenshot: { mode: 'only-on-failure', fullPage: true },
    launchOptions: {
      executablePath: process.env.BROWSER_PATH,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
    },
  },
})
