import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type OrderEvent, StockBook } from './book'
import { InventoryClient } from './client'
import { startReceiver } from './receiver'

/**
 * An integrator's program, against a running service: it takes over the stock, hears of sales by webhook (or by the feed,
 * where the service may not call this machine), books them, and submits what changed. It ends when both books are equal.
 */
const BUSINESS = process.env.EXAMPLE_BUSINESS ?? 'demo'
const SERVICE = process.env.APP_URL ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`
const SKUS = ['COF-ESP-250', 'TEA-SEN-100', 'PAR-24']

const say = (who: string, what: string) => console.log(`${new Date().toISOString().slice(11, 23)}  ${who.padEnd(10)}  ${what}`)

/** What the business does in its panel, by the operator's commands. */
function operator<T>(...args: string[]): T {
  const text = execFileSync(process.execPath, ['ops/bootstrap.mjs', 'ops', ...args, '--business', BUSINESS, '--json'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, WEBHOOK_ALLOW_LOCAL: '1' },
  })
  return JSON.parse(text)
}

const healthy = await fetch(`${SERVICE}/api/health`).then(
  (response) => response.ok,
  () => false,
)
if (!healthy) {
  console.error(`No service answers at ${SERVICE}. Start it in another terminal with: npm start`)
  process.exit(1)
}

const { key, key_prefix: prefix } = operator<{ key: string; key_prefix: string }>('key', 'create', '--name', 'Example integrator')
const client = new InventoryClient(SERVICE, key)
const book = new StockBook()
let secret = ''
let booked = 0

/** One way in for both paths: deduplicate, book, and submit what changed. */
async function handle(event: OrderEvent, path: string): Promise<void> {
  if (book.knows(event.id)) return
  // Confirmed before it is booked and submitted: a stock that holds the sale already must not have it subtracted again.
  await client.acknowledge([event.id])
  if (!book.isNew(event.id)) return
  const changed = book.book(event)
  say(
    'integrator',
    `${event.type} of order ${event.data.order_num} by ${path}: ${event.data.items.map(({ sku, quantity }) => `${quantity} × ${sku}`).join(', ')}`,
  )
  if (changed.length > 0) await submit(changed)
  booked += 1
}

async function submit(skus: string[]): Promise<void> {
  const { results } = await client.submit(skus.map((sku) => ({ sku, ...book.get(sku) })))
  for (const { sku, status, stock_after, reserved } of results)
    say('service', `stock of ${sku}: ${status}, now ${stock_after}${reserved ? ` (${reserved} held back for sales not yet confirmed)` : ''}`)
}

const receiver = await startReceiver(
  () => secret,
  (event) => void handle(event, 'webhook').catch((error) => say('integrator', `failed: ${error.message}`)),
)
let after = 0
let explained = false
try {
  // What happened before this program was started is not its business: it begins at the end of the feed.
  for (let page = await client.feed(after); page.next_cursor !== null; page = await client.feed(after)) {
    after = page.next_cursor
    await client.acknowledge(page.events.map(({ id }) => id))
  }
  const shown = await client.stock()
  for (const sku of SKUS) book.set(sku, Math.max(20, shown.get(sku) ?? 0))
  say('integrator', 'first full submission of its stock')
  await submit(book.skus)

  operator('webhook', 'set', '--url', receiver.url)
  secret = operator<{ secret: string }>('webhook', 'rotate-secret').secret

  const sales: Record<string, number>[] = [{ 'COF-ESP-250': 2 }, { 'TEA-SEN-100': 1, 'PAR-24': 0.35 }, { 'COF-ESP-250': 1 }]
  const placed: string[] = []
  for (const lines of sales) {
    const order = await sell(lines)
    placed.push(order)
    say(
      'shop',
      `sold ${Object.entries(lines)
        .map(([sku, quantity]) => `${quantity} × ${sku}`)
        .join(', ')}`,
    )
    await sleep(300)
  }
  operator('order', 'cancel', '--order', placed[2] ?? '')
  say('shop', 'cancelled the last order')
  await readFeedUntil(() => booked >= sales.length + 1)

  // The last word of the day: everything once more, as the daily reconciliation does.
  say('integrator', 'reconciliation: a full submission')
  for (const sku of book.skus) book.set(sku, book.get(sku).stock)
  await submit(book.skus)
  const service = await client.stock()
  console.log(`\n${'SKU'.padEnd(14)}${'service'.padStart(10)}${'integrator'.padStart(12)}`)
  for (const sku of book.skus) console.log(`${sku.padEnd(14)}${String(service.get(sku)).padStart(10)}${String(book.get(sku).stock).padStart(12)}`)
  const equal = book.skus.every((sku) => service.get(sku) === book.get(sku).stock)
  console.log(equal ? '\nBoth books are equal.' : '\nThe books differ.')
  process.exitCode = equal ? 0 : 1
} finally {
  operator('webhook', 'set', '--url', 'none')
  operator('key', 'revoke', '--prefix', prefix)
  receiver.server.closeAllConnections()
  receiver.server.close()
}

async function sell(lines: Record<string, number>): Promise<string> {
  const text = JSON.stringify({
    client_order_id: randomUUID(),
    payment_status: 'paid',
    payment_type: 'card',
    lines: Object.entries(lines).map(([sku, quantity]) => ({ sku, quantity })),
  })
  const answer = execFileSync(process.execPath, ['ops/bootstrap.mjs', 'ops', 'order', 'create', '--business', BUSINESS, '--file', '-', '--json'], {
    input: text,
    encoding: 'utf8',
  })
  return (JSON.parse(answer) as { order_id: string }).order_id
}

/** The feed is the backup of the webhook: what has not come by itself within two seconds is taken from there. */
async function readFeedUntil(done: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!done()) {
    if (Date.now() > deadline) throw new Error('the sales did not arrive within a minute')
    await sleep(2000)
    const { events, next_cursor } = await client.feed(after)
    for (const event of events) {
      if (!event.delivered && !explained) explain(event.id)
      await handle(event, 'feed')
    }
    after = next_cursor ?? after
  }
}

/** Why the webhook did not come, as the business sees it. */
function explain(eventId: string): void {
  explained = true
  const { delivery_attempts: attempts } = operator<{ delivery_attempts: { error: string | null }[] }>('event', 'show', '--id', eventId)
  say('service', `webhook not delivered: ${attempts.at(-1)?.error ?? 'it waits for an earlier event of its order'}`)
  say('integrator', 'reading the feed instead (webhooks to this machine need: WEBHOOK_ALLOW_LOCAL=1 npm start)')
}
