import { sql } from 'drizzle-orm'
import type { Transaction } from '@/db/client'
import { products, reservations, stockLedger, stockSubmissions } from '@/db/schema'
import { integers, jsonRows, liveProduct, nextUpdatedAt } from '@/db/sql'
import type { KeyContext } from '../context'
import { validationFailed } from '../errors'
import { newId } from '../ids'
import { inTransaction, PremiseChanged, pipeline } from '../transaction'
import type { StockAnswer, StockItem, StockResult } from './contract'
import { asReplay, contentHash, KEY_LIFETIME_MS, summarize } from './rules'

export interface StockSubmission {
  items: StockItem[]
  idempotencyKey?: string
}

/**
 * Sets absolute stock, less what is reserved, for every item that is newer than the last applied (specification,
 * PUT /stock). One transaction; one result an item, in order. The same key with the same content answers as before and
 * applies nothing.
 * @throws AppError VALIDATION_FAILED when the key was used for other content
 */
export async function submitStock(context: KeyContext, input: StockSubmission): Promise<StockAnswer> {
  const { items, idempotencyKey = '' } = input
  const submission = { id: newId(), key: idempotencyKey, hash: contentHash(items), now: context.clock.now() }
  const results = await inTransaction(context.db, async (tx) => {
    const [, [earlier], locked] = await pipeline(
      lockKey(tx, context.business.id, idempotencyKey),
      findSubmission(tx, context.business.id, submission),
      lockProducts(tx, context.business.id, items),
    )
    if (earlier) return replay(earlier, submission.hash)
    await refuseChanged(tx, context.business.id, items, locked)
    const { plan, changes } = planItems(items, locked)
    const applied = await applyChanges(tx, context.business.id, submission, changes)
    const results = plan.map((result) => withApplied(result, applied))
    await saveSubmission(tx, context, submission, results)
    return results
  })
  return { results, summary: summarize(results) }
}

interface Submission {
  id: string
  key: string
  hash: string
  now: Date
}

/** Two requests with one key go one after the other: the second finds what the first stored. */
const lockKey = (tx: Transaction, businessId: string, key: string) =>
  tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${businessId}:${key}`}, 0))`)

interface StoredSubmission extends Record<string, unknown> {
  content_hash: string
  results: StockResult[]
}

/** What this key stored, if it has not expired. An expired one gives its key up, whether or not the job has run. */
const findSubmission = (tx: Transaction, businessId: string, { key, now }: Submission) =>
  tx.execute<StoredSubmission>(sql`
    with expired as (
      update ${stockSubmissions} set idempotency_key = null, results = null
      where business_id = ${businessId} and idempotency_key = ${key} and created_at <= ${keptSince(now)}::timestamptz
    )
    select content_hash, results from ${stockSubmissions}
    where business_id = ${businessId} and idempotency_key = ${key} and created_at > ${keptSince(now)}::timestamptz`)

const keptSince = (now: Date) => new Date(now.getTime() - KEY_LIFETIME_MS).toISOString()

function replay(earlier: StoredSubmission, hash: string): StockResult[] {
  if (earlier.content_hash !== hash) {
    throw validationFailed([{ field: 'Idempotency-Key', issue: 'was already used for another batch: give every batch a key of its own' }])
  }
  return asReplay(earlier.results)
}

interface LockedProduct extends Record<string, unknown> {
  index: number
  id: number
  tracked: boolean
  stock: string | null
  stale: boolean | null
  /** How many items had a product before any was waited for. */
  found: number
}

/** The product of each item: by external id where there is one (case-insensitive), else by SKU (exact). */
const found = (businessId: string, items: StockItem[]) => sql`
    item as materialized (
      select * from json_to_recordset(${jsonRows(items.map((item, index) => ({ index, ...identifierOf(item), version: item.version, observed_at: item.observed_at })))})
      as row(index int, external_id text, sku text, version bigint, observed_at timestamptz)
    ), found as materialized (
      select item.*, product.id from item cross join ${liveProduct(businessId, sql`lower(product.external_id) = lower(item.external_id)`)}
      where item.external_id is not null
      union all
      select item.*, product.id from item cross join ${liveProduct(businessId, sql`product.sku = item.sku`)}
      where item.sku is not null
    )`

const identifierOf = ({ external_id, sku }: StockItem) => (external_id === undefined ? { sku } : { external_id })

/**
 * Locks the products of the items in order of id, and reads them as they are under the lock: what waits here for an order
 * sees that order. One that meanwhile lost the identifier it was found by, or was deleted, is left out.
 */
const lockProducts = (tx: Transaction, businessId: string, items: StockItem[]) =>
  tx.execute<LockedProduct>(sql`
    with ${found(businessId, items)}
    select found.index, product.id, product.tracked, product.stock, (select count(*)::int from found) as found,
      case when found.version is not null then found.version <= product.last_version
           else found.observed_at <= product.last_observed_at end as stale
    from found join ${products} product on product.business_id = ${businessId} and product.id = found.id
    where product.deleted_at is null
      and case when found.external_id is not null then lower(product.external_id) = lower(found.external_id) else product.sku = found.sku end
    order by product.id
    for no key update of product`)

/** A product that was mapped or deleted while it was waited for: its identifier may lead elsewhere now. */
async function refuseChanged(tx: Transaction, businessId: string, items: StockItem[], locked: LockedProduct[]): Promise<void> {
  const [counted] =
    locked.length > 0 ? locked : await tx.execute<{ found: number }>(sql`with ${found(businessId, items)} select count(*)::int as found from found`)
  if (counted?.found !== locked.length) throw new PremiseChanged('a product was mapped or deleted while the submission waited for it')
}

interface Change {
  id: number
  before: string | null
  stock: number
  version: number | undefined
  observed_at: string | undefined
}

/** What becomes of every item, and what must be written for those that apply. */
function planItems(items: StockItem[], locked: LockedProduct[]): { plan: StockResult[]; changes: Change[] } {
  const byIndex = new Map(locked.map((product) => [product.index, product]))
  const uses = new Map<number, number>()
  for (const { id } of locked) uses.set(id, (uses.get(id) ?? 0) + 1)
  const changes: Change[] = []
  const plan = items.map((item, index): StockResult => {
    const product = byIndex.get(index)
    const result = {
      index,
      external_id: item.external_id ?? null,
      sku: item.sku ?? null,
      menu_item_id: product?.id ?? null,
      stock_after: null,
      reserved: null,
    }
    if (item.external_id === undefined && item.sku === undefined) return { ...result, status: 'invalid' }
    if (!product) return { ...result, status: 'not_found' }
    if ((uses.get(product.id) ?? 0) > 1) return { ...result, status: 'invalid' }
    if (!product.tracked) return { ...result, status: 'untracked' }
    if (product.stale) return { ...result, status: 'stale', stock_after: Number(product.stock) }
    changes.push({ id: product.id, before: product.stock, stock: item.stock, version: item.version, observed_at: item.observed_at })
    return { ...result, status: 'applied' }
  })
  return { plan, changes }
}

interface Applied extends Record<string, unknown> {
  id: number
  stock: string
  reserved: string
}

/**
 * Writes stock and ledger. Its snapshot is taken after the products were locked, so the reservations it subtracts are
 * those of every order that committed before; one past its time does not count, whether or not the job has run.
 */
async function applyChanges(tx: Transaction, businessId: string, { id, now }: Submission, changes: Change[]): Promise<Map<number, Applied>> {
  if (changes.length === 0) return new Map()
  const at = now.toISOString()
  const rows = await tx.execute<Applied>(sql`
    with item as materialized (
      select * from json_to_recordset(${jsonRows(changes)})
      as row(id int, before numeric, stock numeric, version bigint, observed_at timestamptz)
    ), held as (
      select product_id, sum(quantity) as quantity from ${reservations}
      where business_id = ${businessId} and product_id = any(${integers(changes.map((change) => change.id))})
        and released_at is null and expires_at > ${at}::timestamptz
      group by product_id
    ), changed as (
      update ${products} product set
        stock = item.stock - coalesce(held.quantity, 0),
        last_version = coalesce(item.version, product.last_version),
        last_observed_at = coalesce(item.observed_at, product.last_observed_at),
        submitted_stock = item.stock,
        submitted_at = ${at}::timestamptz,
        updated_at = case when item.before = item.stock - coalesce(held.quantity, 0) then product.updated_at
                          else ${nextUpdatedAt(sql`product.updated_at`, now)} end
      from item left join held on held.product_id = item.id
      where product.business_id = ${businessId} and product.id = item.id
      returning product.id, item.before, product.stock, coalesce(held.quantity, 0) as reserved
    ), noted as (
      insert into ${stockLedger} (business_id, product_id, cause, before, after, submission_id, created_at)
      select ${businessId}, changed.id, 'submission', changed.before, changed.stock, ${id}, ${at}::timestamptz
      from changed where changed.before <> changed.stock
    )
    select id, stock, reserved from changed`)
  return new Map(rows.map((row) => [row.id, row]))
}

function withApplied(result: StockResult, applied: Map<number, Applied>): StockResult {
  const row = result.status === 'applied' && result.menu_item_id !== null ? applied.get(result.menu_item_id) : undefined
  return row ? { ...result, stock_after: Number(row.stock), reserved: Number(row.reserved) } : result
}

async function saveSubmission(tx: Transaction, context: KeyContext, { id, key, hash, now }: Submission, results: StockResult[]): Promise<void> {
  const { not_found: notFound, ...counts } = summarize(results)
  await tx.insert(stockSubmissions).values({
    businessId: context.business.id,
    id,
    apiKeyId: context.actor.id,
    idempotencyKey: key,
    contentHash: hash,
    results,
    ...counts,
    notFound,
    createdAt: now,
  })
}
