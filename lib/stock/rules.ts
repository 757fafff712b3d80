import { createHash } from 'node:crypto'
import type { StockAnswer, StockItem, StockResult } from './contract'
import { STOCK_STATUSES } from './contract'

/** Idempotency keys are kept this long. */
export const KEY_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000

/** What two submissions must share to be the same: the known fields of every item, in order, however they were written. */
export function contentHash(items: StockItem[]): string {
  const fields = items.map((item) => [item.external_id ?? null, item.sku ?? null, item.stock, item.version ?? null, item.observed_at ?? null])
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

/** The answer to a batch that was already applied: nothing was applied again. */
export function asReplay(results: StockResult[]): StockResult[] {
  return results.map((result) => (result.status === 'applied' ? { ...result, status: 'duplicate' } : result))
}

export function summarize(results: StockResult[]): StockAnswer['summary'] {
  const summary = Object.fromEntries(STOCK_STATUSES.map((status) => [status, 0])) as StockAnswer['summary']
  for (const { status } of results) summary[status] += 1
  return summary
}
