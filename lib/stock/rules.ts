import { createHash } from 'node:crypto'
import type { StockAnswer, StockItem, StockResult } from './contract'
import { STOCK_STATUSES } from './contract'

/** Idempotency keys are kept this long. */
export const KEY_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000

/** What two submissions must share to be the same: the known fields of every item, in order, however they were written. */
export function contentHash(items: StockItem[]): string {
  const fields = items.map((item) => [item.external_id ?? null, item.sku ?? null, item.stock, item.version ?? null, instant(item.observed_at)])
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

/** A date-time as the moment it names, so that `10:00:00Z` and `11:00:00.0+01:00` are the same. */
function instant(text: string | undefined): string | null {
  if (text === undefined) return null
  const fraction = /\.(\d+)/.exec(text)?.[1]?.replace(/0+$/, '') ?? ''
  return `${Math.floor(Date.parse(text) / 1000)}.${fraction}`
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
