import { readSettings } from '@/lib/env'
import { prepareDatabase } from './database'

/** `npm run db:migrate`: for deployments where the server does not migrate by itself, before the new version goes live. */
const { DATABASE_URL: url } = readSettings()
if (!url) {
  console.error('Set DATABASE_URL to the database to migrate.')
  process.exit(1)
}
await prepareDatabase(url).catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
console.log('The database has the newest schema.')
