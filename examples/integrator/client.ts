import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrderEvent } from './book'

/** The calls of the external API that an integrator needs, retried as the specification says. */
export class InventoryClient {
  constructor(
    private readonly baseUrl: string,
    private readonly key: string,
  ) {}

  submit(items: { sku: string; stock: number; version: number }[]) {
    // One key for the batch, and the same again for its retries: it is applied once.
    return this.call<{ results: { sku: string | null; status: string; stock_after: number | null; reserved: number | null }[] }>(
      'PUT',
      '/stock',
      { items },
      { 'Idempotency-Key': randomUUID() },
    )
  }

  feed = (after: number) =>
    this.call<{ events: (OrderEvent & { cursor: number; delivered: boolean })[]; next_cursor: number | null }>('GET', `/orders?after=${after}&limit=500`)

  acknowledge = (eventIds: string[]) => this.call<{ acknowledged: number }>('POST', '/orders/ack', { event_ids: eventIds })

  /** Stock that the service shows, by SKU. */
  async stock(): Promise<Map<string, number | null>> {
    const stock = new Map<string, number | null>()
    for (let cursor: number | null = 0; cursor !== null; ) {
      const page: { items: { sku: string | null; stock: number | null }[]; next_cursor: number | null } = await this.call(
        'GET',
        `/catalog?limit=500&cursor=${cursor}`,
      )
      for (const item of page.items) if (item.sku) stock.set(item.sku, item.stock)
      cursor = page.next_cursor
    }
    return stock
  }

  /** Retries 429 and 5xx with exponential back-off and jitter, or when `Retry-After` says; other errors are thrown at once. */
  private async call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(`${this.baseUrl}/api/v1/external${path}`, {
        method,
        headers: { Authorization: `Bearer ${this.key}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
      })
      if (response.ok) return (await response.json()) as T
      const failure = `${method} ${path}: ${response.status} ${await response.text()}`
      if ((response.status !== 429 && response.status < 500) || attempt === 6) throw new Error(failure)
      const seconds = Number(response.headers.get('retry-after')) || Math.random() * 2 ** attempt
      await sleep(seconds * 1000)
    }
  }
}
