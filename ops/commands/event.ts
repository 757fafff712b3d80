import { type Command, Option } from 'commander'
import { z } from 'zod'
import { EVENT_STATES, type EventState, listEvents } from '@/lib/events/list-events'
import { check, runFor } from '../command'

const page = z.object({ after: z.coerce.number().int('must be a whole number').min(0), limit: z.coerce.number().int('must be a whole number').min(1) })

export function addEventCommands(program: Command): void {
  program
    .command('event')
    .description('order events of a business')
    .command('list')
    .requiredOption('--business <slug>')
    .addOption(new Option('--state <state>').choices([...EVENT_STATES]))
    .option('--after <cursor>', 'only events after this cursor', '0')
    .option('--limit <count>', 'at most so many', '500')
    .action((_, command: Command) =>
      runFor(command, (context, options) => listEvents(context, { ...check(page, options), state: options.state as EventState | undefined })),
    )
}
