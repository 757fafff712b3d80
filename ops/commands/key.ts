import type { Command } from 'commander'
import { createKey, newKey, SCOPES } from '@/lib/keys/create-key'
import { listKeys, revokeKey, rotateKey } from '@/lib/keys/retire-key'
import { check, runFor } from '../command'

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys of a business; a key is shown once, when it is made')
  key
    .command('create')
    .requiredOption('--business <slug>')
    .requiredOption('--name <name>')
    .option('--scopes <list>', 'separated by commas', SCOPES.join(','))
    .action((_, command: Command) =>
      runFor(command, (context, { name, scopes }) =>
        createKey(
          context,
          check(newKey, {
            name,
            scopes: String(scopes)
              .split(',')
              .map((scope) => scope.trim()),
          }),
        ),
      ),
    )
  key
    .command('rotate')
    .description('makes a new key in the place of this one, which stops working at once')
    .requiredOption('--business <slug>')
    .requiredOption('--prefix <prefix>')
    .action((_, command: Command) => runFor(command, (context, { prefix }) => rotateKey(context, String(prefix))))
  key
    .command('revoke')
    .requiredOption('--business <slug>')
    .requiredOption('--prefix <prefix>')
    .action((_, command: Command) =>
      runFor(command, async (context, { prefix }) => {
        await revokeKey(context, String(prefix))
        return { revoked: prefix }
      }),
    )
  key
    .command('list')
    .requiredOption('--business <slug>')
    .action((_, command: Command) => runFor(command, listKeys))
}
