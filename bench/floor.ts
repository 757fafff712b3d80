import { randomUUID } from 'node:crypto'
import type { Sql } from 'postgres'

/**
 * The bare SQL that the same work cannot avoid: the same rows written with the same durability, by hand, through
 * postgres.js, with no check, no contract and no HTTP.
 */
export const floor = {
  async stock(sql: Sql, businessId: string, keyId: string, items: { id: number; stock: number; version: number }[]) {
    const submission = randomUUID()
    await sql.begin((tx) => [
      tx`
        with item as (select * from jsonb_to_recordset(${tx.json(items)}) as row(id int, stock numeric, version bigint)),
        before as (select id, stock from products where business_id = ${businessId} and id in (select id from item)),
        changed as (
          update products product set stock = item.stock, last_version = item.version, submitted_stock = item.stock, submitted_at = now(), updated_at = now()
          from item join before on before.id = item.id where product.business_id = ${businessId} and product.id = item.id
          returning product.id, before.stock as before, product.stock as after
        )
        insert into stock_ledger (business_id, product_id, cause, before, after, submission_id, created_at)
        select ${businessId}, id, 'submission', before, after, ${submission}, now() from changed`,
      tx`
        insert into stock_submissions (business_id, id, api_key_id, idempotency_key, content_hash, results, applied, duplicate, stale, not_found, untracked, invalid, created_at)
        values (${businessId}, ${submission}, ${keyId}, ${submission}, ${'0'.repeat(64)}, ${tx.json(items)}, 500, 0, 0, 0, 0, 0, now())`,
    ])
  },

  catalog: async (sql: Sql, businessId: string, cursor: number) =>
    JSON.stringify(
      await sql`select id, sku, external_id, name, unit, stock, tracked, stock > 0 as available, updated_at from products
        where business_id = ${businessId} and deleted_at is null and id > ${cursor} order by business_id, id limit 500`,
    ),

  feed: async (sql: Sql, businessId: string, after: number) =>
    JSON.stringify(
      await sql`select cursor, id, type, created_at, data, state from order_events
        where business_id = ${businessId} and cursor > ${after} order by business_id, cursor limit 500`,
    ),

  async order(sql: Sql, businessId: string, productId: number) {
    const [order, event] = [randomUUID(), randomUUID()]
    await sql.begin((tx) => [
      tx`
        with sold as (update products set stock = stock - 1, updated_at = now() where business_id = ${businessId} and id = ${productId} and stock >= 1 returning stock)
        insert into stock_ledger (business_id, product_id, cause, before, after, created_at) select ${businessId}, ${productId}, 'sale', stock + 1, stock, now() from sold`,
      tx`
        with counted as (update business_counters set last_order_num = last_order_num + 1, last_event_cursor = last_event_cursor + 1 where business_id = ${businessId} returning *),
        placed as (
          insert into orders (business_id, id, order_num, status, payment_status, order_type, total, currency, created_at, updated_at)
          select ${businessId}, ${order}, last_order_num, 'pending', 'unpaid', 'in_store', 10, 'EUR', now(), now() from counted),
        itemised as (
          insert into order_items (business_id, order_id, position, product_id, name, quantity, unit_price, line_total, deducted)
          values (${businessId}, ${order}, 0, ${productId}, 'Product', 1, 10, 10, true)),
        reserved as (
          insert into reservations (business_id, order_id, product_id, quantity, created_at, expires_at)
          values (${businessId}, ${order}, ${productId}, 1, now(), now() + interval '48 hours'))
        insert into order_events (business_id, cursor, id, order_id, type, data, created_at)
        select ${businessId}, last_event_cursor, ${event}, ${order}, 'order.created', ${tx.json({ order_id: order, items: [{ menu_item_id: productId, quantity: 1 }] })}, now() from counted`,
    ])
  },
}
