import { z } from 'zod'
import { hasDecimals } from './decimals'

/** Fields that several contracts share. Messages say what is expected, for the person who must send it. */

export const MAX_BATCH = 500
export const MAX_STOCK = 99_999_999_999.999
export const MAX_CURSOR = 2_147_483_647

/** A text of `min` to `max` characters (code points, as JSON Schema counts) that Postgres can store. */
export const text = (min: number, max: number) =>
  z.string({ error: `must be a text of ${min} to ${max} characters` }).superRefine((value, context) => {
    const issue = textIssue(value, min, max)
    if (issue) context.addIssue({ code: 'custom', message: issue })
  })

function textIssue(value: string, min: number, max: number): string | null {
  if (value.includes('\u0000')) return 'must not contain the character U+0000'
  if (!value.isWellFormed()) return 'must not contain half of a surrogate pair: encode the text as UTF-8'
  // Code points are never more than code units, so most texts need no count.
  const tooLong = value.length > max && [...value].length > max
  return value.length < min || tooLong ? `must be ${min} to ${max} characters long` : null
}

const STOCK_ISSUE = 'must be a number from 0 to 99999999999.999 with at most 3 decimals'

/** Absolute stock (specification, Stock item). Negative zero becomes zero. */
export const stock = z
  .number({ error: STOCK_ISSUE })
  .refine((value) => value >= 0 && value <= MAX_STOCK && hasDecimals(value, 3), STOCK_ISSUE)
  .transform((value) => value + 0)

const QUANTITY_ISSUE = 'must be a number above 0, up to 99999999999.999, with at most 3 decimals'

/** Units that are sold. */
export const quantity = z.number({ error: QUANTITY_ISSUE }).refine((value) => value > 0 && value <= MAX_STOCK && hasDecimals(value, 3), QUANTITY_ISSUE)

export const uuid = z
  .string({ error: 'must be a UUID' })
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, 'must be a UUID')
  .toLowerCase()

const queryInteger = (from: number, to: number) => {
  const issue = `must be a whole number from ${from} to ${to}`
  return z
    .string({ error: issue })
    .regex(/^\d{1,16}$/, issue)
    .transform(Number)
    .refine((value) => value >= from && value <= to, issue)
}

/** Query of a page by product id (specification, GET /catalog). Empty or 0 is the start. */
export const catalogPage = z.object({
  cursor: z.union([z.literal('').transform(() => 0), queryInteger(0, MAX_CURSOR)], { error: `must be a whole number from 0 to ${MAX_CURSOR}` }).default(0),
  limit: queryInteger(1, MAX_BATCH).default(100),
})

/** Query of a page of the feed (specification, GET /orders). 0 is the start. */
export const feedPage = z.object({
  after: queryInteger(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: queryInteger(1, MAX_BATCH).default(100),
})

/** A list of 1 to 500 entries. */
export const batch = <T extends z.ZodType>(entry: T) => {
  const issue = `must be a list of 1 to ${MAX_BATCH} entries`
  return z.array(entry, { error: issue }).min(1, issue).max(MAX_BATCH, issue)
}

export const entry = <T extends z.core.$ZodLooseShape>(shape: T) => z.object(shape, { error: 'must be an object' })

export const dateTime = z.iso.datetime()
