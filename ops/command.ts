import type { Command } from 'commander'
import { z } from 'zod'
import type { Pool } from '@/db/client'
import { getBusiness } from '@/lib/businesses/queries'
import { systemClock } from '@/lib/clock'
import type { Context } from '@/lib/context'
import { readSettings } from '@/lib/env'
import { AppError } from '@/lib/errors'
import { withDatabase } from './database'
import { print } from './output'

type Options = Record<string, unknown>

/** Runs a command on the service's database and prints what it answers. */
export async function runOn(command: Command, work: (db: Pool, options: Options) => Promise<unknown>): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const answer = await withDatabase(readSettings(), (db) => work(db, options))
  if (answer !== undefined) print(answer, options.json === true)
}

/** The same for a command about one business, named by `--business`. */
export const runFor = (command: Command, work: (context: Context, options: Options) => Promise<unknown>): Promise<void> =>
  runOn(command, async (db, options) =>
    work({ business: await getBusiness(db, String(options.business)), actor: { kind: 'operator' }, db, clock: systemClock, requestId: 'ops' }, options),
  )

/** What the options must be. @throws AppError naming each option that is wrong */
export function check<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new AppError('VALIDATION_FAILED', result.error.issues.map((issue) => `${issue.path.join('.') || 'input'} ${issue.message}`).join('\n'))
}

export const orderId = z.guid('must be the id of an order, as a UUID')
