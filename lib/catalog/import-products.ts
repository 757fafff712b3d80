import { sql } from 'drizzle-orm'
import type { Transaction } from '@/db/client'
import { products, stockLedger } from '@/db/schema'
import { jsonRows, liveProduct, nextUpdatedAt } from '@/db/sql'
import type { Context } from '../context'
import { inTransaction, sqlState } from '../transaction'
import { type ImportRow, importRow } from './import-rules'

const CHUNK = 1000

export interface ImportOutcome {
  created: number
  updated: number
  /** `row` counts the records from 1; a heading is not a record. */
  failed: { row: number; issue: string }[]
}

interface NumberedRow extends ImportRow {
  row: number
}

/**
 * Creates and updates products from records. A record belongs to the live product with its SKU, or, when it has none, with
 * its external id; else it makes a new one. A stock that differs from the one held is written to the ledger. Bad records
 * are reported, the others kept.
 */
export async function importProducts(context: Context, records: unknown[], onProgress: (done: number) => void = () => {}): Promise<ImportOutcome> {
  const outcome: ImportOutcome = { created: 0, updated: 0, failed: [] }
  const rows = readRows(records, outcome)
  for (let start = 0; start < rows.length; start += CHUNK) {
    await importChunk(context, rows.slice(start, start + CHUNK), outcome)
    onProgress(Math.min(start + CHUNK, rows.length) + outcome.failed.length)
  }
  outcome.failed.sort((a, b) => a.row - b.row)
  return outcome
}

function readRows(records: unknown[], outcome: ImportOutcome): NumberedRow[] {
  const seen = new Map<string, number>()
  const fail = (row: number, issue: string) => void outcome.failed.push({ row, issue })
  return records.flatMap((record, index) => {
    const row = index + 1
    const parsed = importRow.safeParse(record)
    if (!parsed.success) {
      fail(row, parsed.error.issues.map((issue) => `${issue.path.join('.') || 'record'} ${issue.message}`).join('; '))
      return []
    }
    const { sku, external_id } = parsed.data
    for (const id of [sku && `SKU "${sku}"`, external_id && `external id "${external_id.toLowerCase()}"`]) {
      if (!id) continue
      if (seen.has(id)) {
        fail(row, `repeats the ${id} of record ${seen.get(id)}`)
        return []
      }
      seen.set(id, row)
    }
    return [{ ...parsed.data, row }]
  })
}

/** One transaction a chunk. When the database refuses it, its halves are tried: so one bad row costs only itself. */
async function importChunk(context: Context, rows: NumberedRow[], outcome: ImportOutcome): Promise<void> {
  try {
    const { created, updated, failed } = await inTransaction(context.db, (tx) => writeChunk(tx, context, rows))
    outcome.created += created
    outcome.updated += updated
    outcome.failed.push(...failed)
  } catch (error) {
    if (sqlState(error) !== '23505') throw error
    if (rows.length === 1) {
      outcome.failed.push({ row: rows[0]?.row ?? 0, issue: 'its SKU or external id belongs to another product' })
      return
    }
    const middle = Math.ceil(rows.length / 2)
    await importChunk(context, rows.slice(0, middle), outcome)
    await importChunk(context, rows.slice(middle), outcome)
  }
}

interface Existing extends Record<string, unknown> {
  row: number
  id: number
  tracked: boolean
  stock: string | null
}

async function writeChunk(tx: Transaction, { business, clock }: Context, rows: NumberedRow[]): Promise<ImportOutcome> {
  const existing = new Map((await lockExisting(tx, business.id, rows)).map((product) => [product.row, product]))
  const failed: ImportOutcome['failed'] = []
  const updates: object[] = []
  const creates: object[] = []
  for (const row of rows) {
    const product = existing.get(row.row)
    if (product) updates.push({ ...row, ...stockOf(row, product), id: product.id, before: product.stock })
    else if (row.name === undefined) failed.push({ row: row.row, issue: 'name is needed for a new product' })
    else creates.push({ ...row, ...stockOf(row, { tracked: row.stock !== undefined, stock: null }) })
  }
  const now = clock.now()
  if (updates.length > 0) await updateProducts(tx, business.id, updates, now)
  if (creates.length > 0) await insertProducts(tx, business.id, creates, now)
  return { created: creates.length, updated: updates.length, failed }
}

function stockOf(row: ImportRow, held: { tracked: boolean; stock: string | null }): { tracked: boolean; stock: string | null } {
  const tracked = row.tracked ?? held.tracked
  return { tracked, stock: tracked ? String(row.stock ?? held.stock ?? 0) : null }
}

const lockExisting = (tx: Transaction, businessId: string, rows: NumberedRow[]) =>
  tx.execute<Existing>(sql`
    with item as materialized (
      select * from json_to_recordset(${jsonRows(rows.map(({ row, sku, external_id }) => ({ row, sku, external_id })))}) as row(row int, sku text, external_id text)
    ), found as materialized (
      select item.row, product.id from item cross join ${liveProduct(businessId, sql`product.sku = item.sku`)}
      union all
      select item.row, product.id from item cross join ${liveProduct(businessId, sql`lower(product.external_id) = lower(item.external_id)`)}
      where item.sku is null
    )
    select found.row, product.id, product.tracked, product.stock
    from found join ${products} product on product.business_id = ${businessId} and product.id = found.id
    order by product.id
    for no key update of product`)

const updateProducts = (tx: Transaction, businessId: string, rows: object[], now: Date) =>
  tx.execute(sql`
    with item as materialized (
      select * from json_to_recordset(${jsonRows(rows)}) as row(id int, external_id text, name text, unit text, price numeric, for_sale boolean, tracked boolean, before numeric, stock numeric)
    ), changed as (
      update ${products} product set
        external_id = coalesce(item.external_id, product.external_id),
        name = coalesce(item.name, product.name),
        unit = coalesce(item.unit, product.unit),
        price = coalesce(item.price, product.price),
        for_sale = coalesce(item.for_sale, product.for_sale),
        tracked = item.tracked,
        stock = item.stock,
        updated_at = ${nextUpdatedAt(sql`product.updated_at`, now)}
      from item where product.business_id = ${businessId} and product.id = item.id
      returning product.id, item.before, product.stock as after
    )
    insert into ${stockLedger} (business_id, product_id, cause, before, after, created_at)
    select ${businessId}, id, case when before is null or after is null then 'tracking' else 'manual' end, before, after, ${now.toISOString()}::timestamptz
    from changed where before is distinct from after`)

const insertProducts = (tx: Transaction, businessId: string, rows: object[], now: Date) =>
  tx.execute(sql`
    with item as materialized (
      select * from json_to_recordset(${jsonRows(rows)}) as row(row int, sku text, external_id text, name text, unit text, price numeric, for_sale boolean, tracked boolean, stock numeric)
    ), made as (
      insert into ${products} (business_id, sku, external_id, name, unit, price, for_sale, tracked, stock, created_at, updated_at)
      select ${businessId}, sku, external_id, name, coalesce(unit, 'unit'), coalesce(price, 0), coalesce(for_sale, true), tracked, stock,
        ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz
      from item order by row
      returning id, stock
    )
    insert into ${stockLedger} (business_id, product_id, cause, before, after, created_at)
    select ${businessId}, id, 'tracking', null, stock, ${now.toISOString()}::timestamptz from made where stock is not null`)
