import { z } from 'zod'
import { batch, catalogPage, dateTime, entry, quantity, text, uuid } from '../fields'
import { ORDER_STATUSES, ORDER_TYPES, PAYMENT_STATUSES, PAYMENT_TYPES } from './rules'

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values, { error: `must be one of ${values.join(', ')}` })
const productId = z.int({ error: 'must be the id of a product' }).min(1, 'must be the id of a product').max(2_147_483_647, 'must be the id of a product')

/** An order as the point of sale and the operator's command make it: each line names its product by id or by SKU. */
export const newOrder = z.object({
  client_order_id: uuid.optional(),
  order_type: oneOf(ORDER_TYPES).default('in_store'),
  payment_type: oneOf(PAYMENT_TYPES)
    .nullish()
    .transform((value) => value ?? null),
  payment_status: oneOf(['unpaid', 'paid']).default('unpaid'),
  customer: z
    .record(z.string(), z.unknown(), { error: 'must be an object' })
    .nullish()
    .transform((value) => value ?? null),
  note: text(0, 1000)
    .nullish()
    .transform((value) => value ?? null),
  lines: batch(
    entry({ product_id: productId.optional(), sku: text(1, 50).optional(), quantity }).refine(
      (line) => (line.product_id === undefined) !== (line.sku === undefined),
      'must name its product by product_id or by sku, not both',
    ),
  ),
})

export type NewOrder = z.output<typeof newOrder>

/** An order as a guest of the online store sends it. */
export const storeOrder = z.object({
  client_order_id: uuid,
  order_type: oneOf(ORDER_TYPES),
  customer: entry({ name: text(1, 200), contact: text(1, 200) }),
  note: text(0, 1000)
    .nullish()
    .transform((value) => value ?? null),
  lines: batch(entry({ product_id: productId, quantity })),
})

export const storePage = catalogPage

export const placedOrder = z.object({
  order_id: z.guid(),
  order_num: z.int(),
  status: z.enum(ORDER_STATUSES),
  payment_status: z.enum(PAYMENT_STATUSES),
  total: z.number(),
  currency: z.string(),
  created_at: dateTime,
  lines: z.array(z.object({ product_id: z.int(), name: z.string(), quantity: z.number(), unit_price: z.number(), line_total: z.number() })),
})

export type PlacedOrder = z.output<typeof placedOrder>

export const orderChange = z
  .object({ status: oneOf(ORDER_STATUSES).optional(), payment_status: oneOf(PAYMENT_STATUSES).optional() })
  .refine((change) => change.status !== undefined || change.payment_status !== undefined, 'must change the status, the payment status or both')
