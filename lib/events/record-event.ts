import { sql } from 'drizzle-orm'
import type { Transaction } from '@/db/client'
import { businessCounters, businesses, integrations, orderEvents, orderItems, orders, reservations } from '@/db/schema'
import { isoMoment } from '@/db/sql'
import { newId } from '../ids'
import { RESERVATION_LIFETIME_MS } from '../orders/rules'

export type EventType = 'order.created' | 'order.updated' | 'order.cancelled'

export interface RecordedEvent extends Record<string, unknown> {
  id: string
  /** Whether it is to be sent by webhook. */
  queued: boolean
}

/**
 * Records an event of an order as it stands, in the order's own transaction and last in it: the counter row that gives
 * the cursor stays locked until commit, so cursors follow commit order. A created event also reserves the units that the
 * order deducted. Nothing is recorded while the module is off or the integration is not bidirectional.
 *
 * The body is made here, from columns named one by one, and frozen: no personal data of the customer can come into it.
 */
export function recordEvent(tx: Transaction, businessId: string, orderId: string, type: EventType, now: Date) {
  const at = sql`${now.toISOString()}::timestamptz`
  return tx.execute<RecordedEvent>(sql`
    with wanted as (
      select integration.webhook_url from ${integrations} integration
      join ${businesses} business on business.id = integration.business_id
      where integration.business_id = ${businessId} and integration.direction = 'bidirectional' and business.module_enabled
    ), reserved as (
      insert into ${reservations} (business_id, order_id, product_id, quantity, created_at, expires_at)
      select item.business_id, item.order_id, item.product_id, sum(item.quantity), ${at}, ${at} + ${`${RESERVATION_LIFETIME_MS} milliseconds`}::interval
      from ${orderItems} item, wanted
      where ${type} = 'order.created' and item.business_id = ${businessId} and item.order_id = ${orderId} and item.deducted
      group by item.business_id, item.order_id, item.product_id
    ), body as (
      select json_build_object(
        'order_id', placed.id,
        'order_num', placed.order_num,
        'status', placed.status,
        'payment_status', placed.payment_status,
        'payment_type', placed.payment_type,
        'is_paid', placed.payment_status = 'paid',
        'order_type', placed.order_type,
        'total', trim_scale(placed.total),
        'currency', placed.currency,
        'created_at', ${isoMoment(sql`placed.created_at`)},
        'items', (
          select json_agg(json_build_object(
            'menu_item_id', item.product_id,
            'sku', item.sku,
            'external_id', item.external_id,
            'name', item.name,
            'quantity', trim_scale(item.quantity),
            'unit_price', trim_scale(item.unit_price),
            'line_total', trim_scale(item.line_total)
          ) order by item.position)
          from ${orderItems} item where item.business_id = placed.business_id and item.order_id = placed.id
        )
      ) as data
      from ${orders} placed where placed.business_id = ${businessId} and placed.id = ${orderId}
    ), counted as (
      update ${businessCounters} set last_event_cursor = last_event_cursor + 1
      where business_id = ${businessId} and exists (select from wanted)
      returning last_event_cursor
    )
    insert into ${orderEvents} (business_id, cursor, id, order_id, type, data, created_at, next_attempt_at)
    select ${businessId}, counted.last_event_cursor, ${newId()}, ${orderId}, ${type}, body.data, ${at},
      case when wanted.webhook_url is not null then ${at} end
    from counted, body, wanted
    returning id, next_attempt_at is not null as queued`)
}
