import { z } from 'zod'
import { defineContract } from '../contract'
import { AppError } from '../errors'
import { batch, entry, MAX_BATCH, stock, text } from '../fields'

const OBSERVED_AT_ISSUE = 'must be an ISO 8601 date-time with its zone, such as 2026-09-27T10:00:00Z'

export const stockItem = entry({
  sku: text(1, 50).optional(),
  external_id: text(1, 100).optional(),
  stock,
  version: z
    .int({ error: 'must be a whole number from 0 to 9007199254740991' })
    .min(0, 'must not be below 0')
    .transform((value) => value + 0)
    .optional(),
  observed_at: z.iso
    .datetime({ offset: true, abort: true, error: OBSERVED_AT_ISSUE })
    // What Postgres does not take: the year 0, zones from 16 hours, fractions without end.
    .refine((value) => !value.startsWith('0000') && /:\d\d(\.\d{1,9})?(Z|[+-](0\d|1[0-5]):\d\d)$/.test(value), OBSERVED_AT_ISSUE)
    .optional(),
})

export const STOCK_STATUSES = ['applied', 'duplicate', 'stale', 'not_found', 'untracked', 'invalid'] as const

export const stockResult = z.object({
  index: z.int().min(0),
  external_id: z.string().nullable(),
  sku: z.string().nullable(),
  menu_item_id: z.int().nullable(),
  status: z.enum(STOCK_STATUSES),
  stock_after: z.number().nullable(),
  reserved: z.number().nullable(),
})

const count = z.int().min(0)

export const stockAnswer = z.object({
  results: z.array(stockResult),
  summary: z.object({ applied: count, duplicate: count, stale: count, not_found: count, untracked: count, invalid: count }),
})

export type StockItem = z.output<typeof stockItem>
export type StockResult = z.output<typeof stockResult>
export type StockAnswer = z.output<typeof stockAnswer>

export const stockContract = defineContract({
  method: 'PUT',
  path: '/stock',
  summary: 'Sets absolute stock for up to 500 products in one transaction.',
  scope: 'stock:write',
  limitPerMinute: 60,
  needsIntegration: true,
  idempotent: true,
  body: z.object({ items: batch(stockItem) }),
  precheck: (body) =>
    'items' in body && Array.isArray(body.items) && body.items.length > MAX_BATCH
      ? new AppError(
          'EXTERNAL_STOCK_TOO_MANY_ITEMS',
          `The batch has ${body.items.length} items, and ${MAX_BATCH} is the most: send it in parts, each with an Idempotency-Key of its own.`,
        )
      : null,
  answer: stockAnswer,
})
