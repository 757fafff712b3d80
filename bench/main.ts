import { spawnSync } from 'node:child_process'

/** `npm run bench`, or one part of it: `npm run bench -- api`. Each part is a process of its own. */
const parts = process.argv.length > 2 ? process.argv.slice(2) : ['api', 'webhooks']
for (const part of parts) {
  console.log(`\n## ${part}\n`)
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', `bench/${part}.ts`], { stdio: 'inherit', env: { ...process.env, LOG_LEVEL: 'silent' } })
  if (status !== 0) process.exit(status ?? 1)
}
