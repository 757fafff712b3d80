import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

export default defineConfig({
  root,
  resolve: { alias: { '@': root } },
  test: {
    include: ['{app,lib,db,ops,bench}/**/*.test.ts'],
    globalSetup: 'db/testing/global-setup.ts',
    setupFiles: 'db/testing/database.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // The server survives these too: see where it is defined.
    onUnhandledError: (error) => !/nextWrite/.test(String(error.stack)),
  },
})
