import { type Command, Option } from 'commander'
import { changeBusiness } from '@/lib/businesses/change-business'
import { createBusiness, newBusiness } from '@/lib/businesses/create-business'
import { listBusinesses } from '@/lib/businesses/queries'
import { changeIntegration } from '@/lib/integration/change-integration'
import { DIRECTIONS } from '@/lib/integration/contract'
import { check, runFor, runOn } from '../command'

export function addBusinessCommands(program: Command): void {
  const business = program.command('business').description('businesses and their owners')
  business
    .command('create')
    .requiredOption('--name <name>')
    .requiredOption('--slug <slug>', 'short name for addresses: a-z, 0-9 and -')
    .requiredOption('--currency <code>', 'such as EUR')
    .requiredOption('--owner-email <email>')
    .requiredOption('--owner-password <password>', 'at least 8 characters')
    .option('--direction <direction>', `${DIRECTIONS.join(' or ')}`, 'bidirectional')
    .action((_, command: Command) =>
      runOn(command, async (db, options) => {
        const { id, slug } = await createBusiness(db, check(newBusiness, options))
        return { tenant_id: id, slug }
      }),
    )
  business.command('list').action((_, command: Command) =>
    runOn(command, async (db) =>
      (await listBusinesses(db)).map(({ id, slug, name, currency, moduleEnabled, storeEnabled, integration }) => ({
        tenant_id: id,
        slug,
        name,
        currency,
        module: moduleEnabled,
        store: storeEnabled,
        integration: integration?.enabled ?? false,
        direction: integration?.direction ?? null,
      })),
    ),
  )
  addSwitch(program, 'module', 'the external inventory module of a business', 'moduleEnabled')
  addSwitch(program, 'store', 'the online store of a business', 'storeEnabled')
  program
    .command('integration')
    .description('the integration of a business')
    .command('set')
    .requiredOption('--business <slug>')
    .addOption(new Option('--enabled <boolean>').choices(['true', 'false']))
    .addOption(new Option('--direction <direction>').choices([...DIRECTIONS]))
    .action((_, command: Command) =>
      runFor(command, (context, { enabled, direction }) =>
        changeIntegration(context, {
          ...(enabled === undefined ? {} : { enabled: enabled === 'true' }),
          ...(direction === undefined ? {} : { direction: direction as (typeof DIRECTIONS)[number] }),
        }),
      ),
    )
}

function addSwitch(program: Command, noun: string, description: string, field: 'moduleEnabled' | 'storeEnabled'): void {
  const command = program.command(noun).description(description)
  for (const state of ['on', 'off']) {
    command
      .command(state)
      .requiredOption('--business <slug>')
      .action((_, switched: Command) =>
        runFor(switched, async (context) => {
          await changeBusiness(context, { [field]: state === 'on' })
          return { business: context.business.slug, [noun]: state === 'on' }
        }),
      )
  }
}
