import { z } from 'zod'
import { hasDecimals } from '../decimals'
import { MAX_STOCK, text } from '../fields'

const YES = new Set(['true', 'yes', 'y', '1', 'on'])
const NO = new Set(['false', 'no', 'n', '0', 'off'])

/** Every field may come as text (CSV) or as itself (JSON); an empty one counts as absent. */
const absentWhenEmpty = <T extends z.ZodType>(schema: T) => z.preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional())

const flag = z.preprocess(
  (value) => (typeof value === 'string' ? (YES.has(value.toLowerCase()) ? true : NO.has(value.toLowerCase()) ? false : value) : value),
  z.boolean({ error: 'must be true or false' }),
)

const decimal = (places: number, max: number) => {
  const issue = `must be a number from 0 to ${max} with at most ${places} decimals, written with a point`
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value),
    z.number({ error: issue }).refine((value) => value >= 0 && value <= max && hasDecimals(value, places), issue),
  )
}

const asText = (value: unknown) => (typeof value === 'number' ? String(value) : value)

/** One row of an import. What is absent stays as it is for a known product. */
export const importRow = z.object({
  sku: absentWhenEmpty(z.preprocess(asText, text(1, 50))),
  external_id: absentWhenEmpty(z.preprocess(asText, text(1, 100))),
  name: absentWhenEmpty(text(1, 200)),
  unit: absentWhenEmpty(text(1, 20)),
  price: absentWhenEmpty(decimal(2, 9_999_999_999.99)),
  stock: absentWhenEmpty(decimal(3, MAX_STOCK)),
  tracked: absentWhenEmpty(flag),
  for_sale: absentWhenEmpty(flag),
})

export type ImportRow = z.output<typeof importRow>

/** Column names as people write them: `For sale` is `for_sale`. */
export const columnName = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
