import { sql } from 'drizzle-orm'
import type { Transaction } from '@/db/client'
import { businessCounters, orderItems, orders, products, stockLedger } from '@/db/schema'
import { integers, jsonRows, liveProduct, nextUpdatedAt } from '@/db/sql'
import type { Context } from '../context'
import { fromUnits, lineTotal, toUnits } from '../decimals'
import { AppError, type ErrorDetail, validationFailed } from '../errors'
import { announceRecorded } from '../events/announce'
import { type RecordedEvent, recordEvent } from '../events/record-event'
import { newId } from '../ids'
import { inTransaction, pipeline, violatesUnique } from '../transaction'
import type { NewOrder, PlacedOrder } from './contract'
import { findOrderByClientId, getOrder } from './queries'

const MAX_TOTAL = toUnits('9999999999.99', 2)

/**
 * Creates an order and deducts the stock of its tracked lines, all or nothing. The same `client_order_id` again gives
 * the order that it made before (`created` false).
 * @throws AppError CONFLICT naming the lines that are short and what is left, VALIDATION_FAILED for an unknown product
 */
export async function createOrder(context: Context, input: NewOrder): Promise<{ order: PlacedOrder; created: boolean }> {
  try {
    const { events, ...answer } = await inTransaction(context.db, (tx) => createOrderIn(tx, context, input))
    await announceRecorded(context.business.id, events)
    return answer
  } catch (error) {
    // The same order came in twice at once, with products that did not make them wait for each other.
    if (!input.client_order_id || !violatesUnique(error, 'orders_client_order_id')) throw error
    const order = await findOrderByClientId(context.db, context.business.id, input.client_order_id)
    if (!order) throw error
    return { order, created: false }
  }
}

async function createOrderIn(
  tx: Transaction,
  { business, clock }: Context,
  input: NewOrder,
): Promise<{ order: PlacedOrder; created: boolean; events: RecordedEvent[] }> {
  // The order is looked for after the lock was had: a repeated order finds the first one, and is not refused for the
  // stock which that one took.
  const [sellable, [earlier]] = await pipeline(lockSellable(tx, business.id, input.lines), findRepeated(tx, business.id, input))
  if (earlier) return { order: await getOrder(tx, business.id, earlier.id), created: false, events: [] }
  const lines = priceLines(input.lines, sellable)
  refuseShort(input.lines, lines, sellable)
  const total = lines.reduce((sum, line) => sum + toUnits(line.line_total, 2), 0n)
  if (total > MAX_TOTAL) throw validationFailed([{ field: 'lines', issue: 'come to more than 9999999999.99: split the order' }])
  const order = { id: newId(), now: clock.now(), total: fromUnits(total, 2), currency: business.currency }
  const [[placed], events] = await pipeline(
    writeOrder(tx, business.id, order, input, lines),
    recordEvent(tx, business.id, order.id, 'order.created', order.now),
  )
  return {
    created: true,
    events,
    order: {
      order_id: order.id,
      order_num: Number(placed?.order_num),
      status: 'pending',
      payment_status: input.payment_status,
      total: Number(order.total),
      currency: order.currency,
      created_at: order.now.toISOString(),
      lines: lines.map((line) => ({
        product_id: line.product_id,
        name: line.name,
        quantity: Number(line.quantity),
        unit_price: Number(line.unit_price),
        line_total: Number(line.line_total),
      })),
    },
  }
}

interface Sellable extends Record<string, unknown> {
  id: number
  sku: string | null
  external_id: string | null
  name: string
  price: string
  tracked: boolean
  stock: string | null
}

/** Locks the products of the lines in order of id. Those that are not for sale are as good as unknown. */
function lockSellable(tx: Transaction, businessId: string, lines: NewOrder['lines']) {
  const ids = lines.flatMap((line) => line.product_id ?? [])
  const skus = lines.flatMap((line) => line.sku ?? [])
  // One list of ids: a condition with OR would read every product of the business.
  const bySku = sql`|| array(
      select product.id from json_array_elements_text(${JSON.stringify(skus)}::json) as asked(sku)
      cross join ${liveProduct(businessId, sql`product.sku = asked.sku`)})`
  return tx.execute<Sellable>(sql`
    select product.id, product.sku, product.external_id, product.name, product.price, product.tracked, product.stock
    from ${products} product
    where product.business_id = ${businessId} and product.deleted_at is null and product.for_sale
      and product.id = any(${integers(ids)} ${skus.length > 0 ? bySku : sql``})
    order by product.id
    for no key update`)
}

const findRepeated = (tx: Transaction, businessId: string, { client_order_id }: NewOrder) =>
  tx.execute<{ id: string }>(sql`select id from ${orders} where business_id = ${businessId} and client_order_id = ${client_order_id ?? null}`)

interface PricedLine {
  position: number
  product_id: number
  sku: string | null
  external_id: string | null
  name: string
  quantity: string
  unit_price: string
  line_total: string
  deducted: boolean
}

function priceLines(lines: NewOrder['lines'], sellable: Sellable[]): PricedLine[] {
  const unknown: ErrorDetail[] = []
  const priced = lines.flatMap((line, position): PricedLine[] => {
    const product = sellable.find(({ id, sku }) => (line.product_id === undefined ? sku === line.sku : id === line.product_id))
    if (!product) {
      unknown.push({
        field: `lines.${position}.${line.product_id === undefined ? 'sku' : 'product_id'}`,
        issue: 'is no product that is for sale here: read the products again',
      })
      return []
    }
    const { id, sku, external_id, name, price } = product
    const quantity = toUnits(line.quantity, 3)
    return [
      {
        position,
        product_id: id,
        sku,
        external_id,
        name,
        quantity: fromUnits(quantity, 3),
        unit_price: price,
        line_total: fromUnits(lineTotal(quantity, toUnits(price, 2)), 2),
        deducted: product.tracked,
      },
    ]
  })
  if (unknown.length > 0) throw validationFailed(unknown)
  return priced
}

/** @throws AppError CONFLICT naming every line whose product is short, and what is left of it */
function refuseShort(asked: NewOrder['lines'], lines: PricedLine[], sellable: Sellable[]): void {
  const left = new Map(sellable.filter(({ tracked }) => tracked).map(({ id, stock }) => [id, toUnits(stock ?? '0', 3)]))
  const wanted = new Map<number, bigint>()
  for (const line of lines) wanted.set(line.product_id, (wanted.get(line.product_id) ?? 0n) + toUnits(line.quantity, 3))
  const details = lines.flatMap((line, index): ErrorDetail[] => {
    const available = left.get(line.product_id)
    if (available === undefined || (wanted.get(line.product_id) ?? 0n) <= available) return []
    const shown = available > 0n ? available : 0n
    const short = (wanted.get(line.product_id) ?? 0n) - shown
    return [
      {
        field: `lines.${index}.quantity`,
        issue: `asks for ${asked[index]?.quantity} of "${line.name}", of which ${fromUnits(shown, 3)} ${shown === 1000n ? 'is' : 'are'} left (${fromUnits(short, 3)} too many in this order)`,
      },
    ]
  })
  if (details.length === 0) return
  const names = [...new Set(details.map(({ field }) => `"${lines[Number(field.split('.')[1])]?.name}"`))]
  throw new AppError(
    'CONFLICT',
    `There is not enough stock of ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}. Nothing was sold.`,
    { details: details.slice(0, 100) },
  )
}

/** Deducts the stock, writes ledger, order and lines, and takes the order's number: one statement. */
function writeOrder(
  tx: Transaction,
  businessId: string,
  order: { id: string; now: Date; total: string; currency: string },
  input: NewOrder,
  lines: PricedLine[],
) {
  const at = sql`${order.now.toISOString()}::timestamptz`
  return tx.execute<{ order_num: string }>(sql`
    with line as materialized (
      select * from json_to_recordset(${jsonRows(lines)}) as row(position int, product_id int, sku text, external_id text, name text,
        quantity numeric, unit_price numeric, line_total numeric, deducted boolean)
    ), sold as (
      update ${products} product set stock = product.stock - need.quantity, updated_at = ${nextUpdatedAt(sql`product.updated_at`, order.now)}
      from (select product_id, sum(quantity) as quantity from line where deducted group by product_id) need
      where product.business_id = ${businessId} and product.id = need.product_id
      returning product.id, product.stock + need.quantity as before, product.stock as after
    ), noted as (
      insert into ${stockLedger} (business_id, product_id, cause, before, after, order_id, created_at)
      select ${businessId}, id, 'sale', before, after, ${order.id}, ${at} from sold
    ), numbered as (
      update ${businessCounters} set last_order_num = last_order_num + 1 where business_id = ${businessId} returning last_order_num
    ), placed as (
      insert into ${orders} (business_id, id, order_num, client_order_id, status, payment_status, payment_type, order_type, total, currency, customer, note, created_at, updated_at)
      select ${businessId}, ${order.id}, last_order_num, ${input.client_order_id ?? null}, 'pending', ${input.payment_status}, ${input.payment_type}, ${input.order_type},
        ${order.total}, ${order.currency}, ${input.customer === null ? null : JSON.stringify(input.customer)}::jsonb, ${input.note}, ${at}, ${at}
      from numbered returning order_num
    ), itemised as (
      insert into ${orderItems} (business_id, order_id, position, product_id, sku, external_id, name, quantity, unit_price, line_total, deducted)
      select ${businessId}, ${order.id}, position, product_id, sku, external_id, name, quantity, unit_price, line_total, deducted from line
    )
    select order_num from placed`)
}
