import { type Command, Option } from 'commander'
import { z } from 'zod'
import { AppError } from '@/lib/errors'
import { EVENT_STATES, type EventState, getEvent, listEvents } from '@/lib/events/list-events'
import { uuid } from '@/lib/fields'
import { resendEvents } from '@/lib/webhooks/resend-events'
import { check, runFor } from '../command'

const page = z.object({ after: z.coerce.number().int('must be a whole number').min(0), limit: z.coerce.number().int('must be a whole number').min(1) })
const since = z.iso.datetime({ offset: true, error: 'must be a date-time with its zone, such as 2026-09-27T10:00:00Z' }).transform((text) => new Date(text))

export function addEventCommands(program: Command): void {
  const event = program.command('event').description('order events of a business, and their delivery')
  event
    .command('list')
    .requiredOption('--business <slug>')
    .addOption(new Option('--state <state>').choices([...EVENT_STATES]))
    .option('--after <cursor>', 'only events after this cursor', '0')
    .option('--limit <count>', 'at most so many', '500')
    .action((_, command: Command) =>
      runFor(command, (context, options) => listEvents(context, { ...check(page, options), state: options.state as EventState | undefined })),
    )
  event
    .command('show')
    .description('one event with its body and every attempt')
    .requiredOption('--business <slug>')
    .requiredOption('--id <id>')
    .action((_, command: Command) => runFor(command, (context, { id }) => getEvent(context, check(z.object({ id: uuid }), { id }).id)))
  event
    .command('resend')
    .description('sends dead events again, with a fresh round of attempts')
    .requiredOption('--business <slug>')
    .option('--id <ids...>', 'these events')
    .option('--dead-since <time>', 'every event that went dead since then')
    .action((_, command: Command) =>
      runFor(command, (context, { id, deadSince }) => {
        if ((id === undefined) === (deadSince === undefined)) throw new AppError('BAD_REQUEST', 'Name the events with --id, or a time with --dead-since.')
        return resendEvents(
          context,
          id === undefined
            ? { deadSince: check(z.object({ 'dead-since': since }), { 'dead-since': deadSince })['dead-since'] }
            : { eventIds: check(z.object({ id: z.array(uuid) }), { id }).id },
        )
      }),
    )
}
