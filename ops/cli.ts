import nextEnv from '@next/env'
import { Command } from 'commander'
import { EmbeddedDatabaseError } from '@/db/embedded'
import { SettingsError } from '@/lib/env'
import { AppError } from '@/lib/errors'
import { addBusinessCommands } from './commands/business'
import { addEventCommands } from './commands/event'
import { addKeyCommands } from './commands/key'
import { addOrderCommands } from './commands/order'
import { addProductCommands } from './commands/product'
import { addStockCommands } from './commands/stock'
import { addWebhookCommands } from './commands/webhook'
import { StartError } from './database'

nextEnv.loadEnvConfig(process.cwd(), false, { info: () => {}, error: console.error })
const program = new Command('npm run --silent ops --')
  .description('Operator’s commands, on the database that the service uses, also while it runs.')
  .option('--json', 'print one JSON document')
  .showHelpAfterError('(add --help to see what it takes)')
for (const add of [addBusinessCommands, addProductCommands, addKeyCommands, addOrderCommands, addEventCommands, addWebhookCommands, addStockCommands])
  add(program)

program.parseAsync().catch((error) => {
  const expected = [AppError, StartError, SettingsError, EmbeddedDatabaseError].some((kind) => error instanceof kind)
  const details = error instanceof AppError ? (error.details ?? []).map(({ field, issue }) => `\n  ${field} ${issue}`).join('') : ''
  console.error(expected ? `${error.message}${details}` : (error?.stack ?? error))
  process.exitCode = 1
})
