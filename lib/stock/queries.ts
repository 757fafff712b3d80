import { and, asc, eq, sql } from 'drizzle-orm'
import { products, stockLedger } from '@/db/schema'
import type { Context } from '../context'
import { AppError } from '../errors'

export interface LedgerRow {
  at: string
  cause: string
  before: number | null
  after: number | null
  order_id: string | null
  submission_id: string | null
}

/** Every change of a product's stock, oldest first, also of one that was deleted since. @throws AppError NOT_FOUND */
export async function listLedger({ db, business }: Context, { sku }: { sku: string }): Promise<LedgerRow[]> {
  const [product] = await db
    .select({ id: products.id })
    .from(products)
    .where(and(eq(products.businessId, business.id), eq(products.sku, sku)))
    .orderBy(sql`${products.deletedAt} is not null, ${products.deletedAt} desc`)
    .limit(1)
  if (!product) throw new AppError('NOT_FOUND', `There is no product with the SKU "${sku}".`)
  const rows = await db
    .select()
    .from(stockLedger)
    .where(and(eq(stockLedger.businessId, business.id), eq(stockLedger.productId, product.id)))
    .orderBy(asc(stockLedger.id))
  return rows.map((row) => ({
    at: row.createdAt.toISOString(),
    cause: row.cause,
    before: row.before === null ? null : Number(row.before),
    after: row.after === null ? null : Number(row.after),
    order_id: row.orderId,
    submission_id: row.submissionId,
  }))
}

export interface LedgerFault extends Record<string, unknown> {
  product_id: number
  sku: string | null
  name: string
  stock: string | null
  ledger: string | null
  issue: string
}

/**
 * Products whose ledger does not lead to their stock: the last row ends elsewhere, or a row does not begin where the one
 * before it ended. None, always, unless something wrote past the ledger.
 */
export async function checkLedger({ db, business }: Context): Promise<{ products: number; faults: LedgerFault[] }> {
  const [counted] = await db.select({ count: sql<number>`count(*)::int` }).from(products).where(eq(products.businessId, business.id))
  const faults = await db.execute<LedgerFault>(sql`
    with link as (
      select product_id, id, before, after,
        lag(after) over one as expected, row_number() over one as place, last_value(after) over (one rows between unbounded preceding and unbounded following) as ends
      from ${stockLedger} where business_id = ${business.id}
      window one as (partition by product_id order by id)
    ), chain as (
      select product_id, bool_or(before is distinct from (case when place = 1 then null else expected end)) as broken, max(ends) as ends
      from link group by product_id
    )
    select product.id as product_id, product.sku, product.name, product.stock, chain.ends as ledger,
      case when chain.broken then 'a row of the ledger does not begin where the one before it ended'
           else 'the ledger ends at another stock than the product has' end as issue
    from ${products} product left join chain on chain.product_id = product.id
    where product.business_id = ${business.id} and (chain.broken or product.stock is distinct from chain.ends)
    order by product.id`)
  return { products: counted?.count ?? 0, faults }
}
