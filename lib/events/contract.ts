import { z } from 'zod'
import { defineContract } from '../contract'
import { batch, dateTime, feedPage, uuid } from '../fields'

const amount = z.number().nullable()

export const orderEventData = z.object({
  order_id: z.guid(),
  order_num: z.int().nullable(),
  status: z.string(),
  payment_status: z.string().nullable(),
  payment_type: z.string().nullable(),
  is_paid: z.boolean().nullable(),
  order_type: z.string().nullable(),
  total: amount,
  currency: z.string().nullable(),
  created_at: dateTime,
  items: z.array(
    z.object({
      menu_item_id: z.int(),
      sku: z.string().nullable(),
      external_id: z.string().nullable(),
      name: z.string().nullable(),
      quantity: z.number(),
      unit_price: amount,
      line_total: amount,
    }),
  ),
})

export const feedEvent = z.object({
  cursor: z.int(),
  id: z.guid(),
  type: z.enum(['order.created', 'order.updated', 'order.cancelled']),
  created_at: dateTime,
  data: orderEventData,
  delivered: z.boolean(),
})

export type FeedEvent = z.output<typeof feedEvent>

export const feedContract = defineContract({
  method: 'GET',
  path: '/orders',
  summary: 'Order events in order, for a reader that keeps its cursor.',
  scope: 'orders:read',
  limitPerMinute: 60,
  query: feedPage,
  answer: z.object({ events: z.array(feedEvent), next_cursor: z.int().nullable() }),
})

export const ackContract = defineContract({
  method: 'POST',
  path: '/orders/ack',
  summary: 'Confirms events: the webhook no longer sends them and they stop reserving stock.',
  scope: 'orders:read',
  limitPerMinute: 60,
  body: z.object({ event_ids: batch(uuid) }),
  answer: z.object({ acknowledged: z.int().min(0) }),
})
