/** The integrator's own stock book: what its warehouse holds, with a version that grows at every change. */
export class StockBook {
  private readonly entries = new Map<string, { stock: number; version: number }>()
  /** Sales by order, so that a cancellation can be reversed and an event that comes twice counts once. */
  private readonly seen = new Set<string>()

  set(sku: string, stock: number): void {
    this.entries.set(sku, { stock, version: this.nextVersion(sku) })
  }

  /** Milliseconds, yet always more than the last: a version that does not grow is discarded. */
  private nextVersion(sku: string): number {
    return Math.max((this.entries.get(sku)?.version ?? 0) + 1, Date.now())
  }

  get(sku: string): { stock: number; version: number } {
    const entry = this.entries.get(sku)
    if (!entry) throw new Error(`the book has no ${sku}`)
    return entry
  }

  get skus(): string[] {
    return [...this.entries.keys()]
  }

  knows(eventId: string): boolean {
    return this.seen.has(eventId)
  }

  /** Whether the event is new here, from now on it is not. The same event may arrive more than once, by webhook and by the feed. */
  isNew(eventId: string): boolean {
    if (this.seen.has(eventId)) return false
    this.seen.add(eventId)
    return true
  }

  /** Takes what an order sold out of the book, or puts a cancelled order's units back. Answers the SKUs that changed. */
  book(event: OrderEvent): string[] {
    const sign = event.type === 'order.created' ? -1 : event.type === 'order.cancelled' ? 1 : 0
    if (sign === 0) return []
    const changed: string[] = []
    for (const { sku, quantity } of event.data.items) {
      const entry = sku === null ? undefined : this.entries.get(sku)
      if (!entry || sku === null) continue
      entry.stock = Math.round((entry.stock + sign * quantity) * 1000) / 1000
      entry.version = this.nextVersion(sku)
      changed.push(sku)
    }
    return changed
  }
}

export interface OrderEvent {
  id: string
  type: string
  data: { order_id: string; order_num: number | null; items: { sku: string | null; quantity: number }[] }
}
