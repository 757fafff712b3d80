import type { Sql } from 'postgres'

/** Products 1 to `count` of the business that are not there yet, with their ledger. */
export async function loadProducts(sql: Sql, businessId: string, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`
      with made as (
        insert into products (business_id, sku, external_id, name, unit, price, tracked, stock)
        select ${businessId}, 'SKU-' || number, 'EXT-' || number, 'Product ' || number, 'piece', 10, true, 1000000
        from generate_series((select count(*) + 1 from products where business_id = ${businessId}), ${count}::int) number
        returning id)
      insert into stock_ledger (business_id, product_id, cause, before, after, created_at)
      select ${businessId}, id, 'tracking', null, 1000000, now() from made`
  })
  await sql`vacuum analyze`
}

/** Past, confirmed events of one old order, `count` of them. */
export async function loadEvents(sql: Sql, businessId: string, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`
      insert into orders (business_id, id, order_num, status, payment_status, order_type, total, currency, created_at, updated_at)
      select ${businessId}, gen_random_uuid(), (select least(min(order_num), 0) from orders where business_id = ${businessId}) - number, 'completed', 'paid', 'in_store', 10, 'EUR', now() - interval '1 year', now() - interval '1 year'
      from generate_series(1, ${Math.ceil(count / 10)}::int) number`
    await tx`create temporary table past on commit drop as
      select id, row_number() over () as place from orders where business_id = ${businessId} and order_num < 0`
    await tx`alter table past add primary key (place)`
    await tx`analyze past`
    await tx`
      with counted as (update business_counters set last_event_cursor = last_event_cursor + ${count}::int where business_id = ${businessId} returning last_event_cursor - ${count}::int as base),
      total as (select count(*) as orders from past)
      insert into order_events (business_id, cursor, id, order_id, type, data, created_at, state, confirmed_at, confirmed_by)
      select ${businessId}, base + number, gen_random_uuid(), past.id, 'order.updated',
        json_build_object('order_id', past.id, 'order_num', number, 'status', 'completed', 'payment_status', 'paid', 'payment_type', null, 'is_paid', true, 'order_type', 'in_store',
          'total', 10, 'currency', 'EUR', 'created_at', '2025-11-21T10:00:00.000Z',
          'items', json_build_array(json_build_object('menu_item_id', 1, 'sku', 'SKU-1', 'external_id', 'EXT-1', 'name', 'Product 1', 'quantity', 1, 'unit_price', 10, 'line_total', 10))),
        now() - interval '1 year', 'confirmed', now() - interval '1 year', 'ack'
      from counted, total, generate_series(1, ${count}::int) number join past on past.place = 1 + number % (select orders from total)`
  })
  await sql`vacuum analyze`
}
