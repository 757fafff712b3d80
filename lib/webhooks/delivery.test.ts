import { and, eq, isNull } from 'drizzle-orm'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sharedPool } from '@/db/client'
import { reservations } from '@/db/schema'
import { changeBusiness } from '../businesses/change-business'
import { acknowledge } from '../events/acknowledge'
import { getEvent, listEvents } from '../events/list-events'
import { changeIntegration } from '../integration/change-integration'
import { cancelOrder } from '../orders/cancel-order'
import { changeOrder } from '../orders/change-order'
import { type Receiver, startReceiver } from '../testing/receiver'
import { makeShop, type Shop } from '../testing/shop'
import { type ClaimedDelivery, claimDeliveries } from './claim'
import { rotateWebhookSecret, setWebhook } from './configure'
import { deliver } from './deliver'
import { pingWebhook } from './ping'
import { resendEvents } from './resend-events'
import { LEASE_MS } from './rules'
import { settleDeliveries } from './settle'

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver[Symbol.asyncDispose]())

async function openShop(products: object[] = [{ stock: 100 }]) {
  const shop = await makeShop({ products })
  const { secret } = await setWebhook(shop.operator, { url: receiver.url })
  return { ...shop, secret: secret ?? '' }
}

const claim = (shop: Shop, more: object = {}) =>
  claimDeliveries(sharedPool(), { now: shop.clock.now(), limit: 50, perBusiness: 50, only: [shop.context.business.id], ...more })
const settle = (shop: Shop, claimed: ClaimedDelivery[], outcomes: Awaited<ReturnType<typeof deliver>>[]) =>
  settleDeliveries(
    sharedPool(),
    shop.clock,
    claimed.map((delivery, index) => ({ delivery, outcome: outcomes[index] as (typeof outcomes)[number] })),
  )

/** One turn of what every engine does: take what is due, send it, record it. */
async function turn(shop: Shop): Promise<number> {
  const claimed = await claim(shop)
  await settle(shop, claimed, await Promise.all(claimed.map((delivery) => deliver(delivery, shop.clock, { timeoutMs: 1000 }))))
  return claimed.length
}
const events = (shop: Shop) => listEvents(shop.operator, {})
const reservedAt = async (shop: Shop, stock = 100) => (await shop.submit([{ sku: 'SKU-1', stock }])).results[0]?.reserved

test('an event goes out signed, with the bytes that the feed shows, and its 2xx confirms it and ends its reservation', async () => {
  const shop = await openShop([{ name: 'Ñandú 😀', stock: 100 }])
  await shop.sell({ 'SKU-1': 2 })
  expect(await reservedAt(shop)).toBe(2)
  expect(await turn(shop)).toBe(1)
  const [got] = receiver.received
  const payload = new Webhook(shop.secret).verify(got?.body ?? '', got?.headers ?? {}) as { id: string; data: unknown }
  const [event] = await events(shop)
  expect(payload).toMatchObject({ id: event?.id, type: 'order.created', created_at: event?.created_at })
  expect(payload.data).toEqual((await getEvent(shop.operator, payload.id)).data)
  expect(event).toMatchObject({ state: 'confirmed', confirmed_by: 'webhook', attempts: 0, next_attempt_at: null })
  expect(await reservedAt(shop)).toBe(0)
  expect(await turn(shop)).toBe(0)
})

test('the whole schedule: 30 s, 2 min, 10 min, 1 h, then every 6 h, eight attempts, then dead; each signed afresh', async () => {
  const shop = await openShop()
  receiver.answerWith(500)
  await shop.sell({ 'SKU-1': 2 })
  const waits: number[] = []
  let last = shop.clock.now().getTime()
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    expect(await turn(shop)).toBe(1)
    const [event] = await events(shop)
    expect(event?.attempts).toBe(attempt)
    if (attempt === 8) break
    expect(event?.state).toBe('pending')
    const next = new Date(event?.next_attempt_at ?? 0).getTime()
    waits.push((next - last) / 1000)
    shop.clock.advance(next - last - 1)
    expect(await turn(shop)).toBe(0)
    shop.clock.advance(1)
    last = next
  }
  expect(waits).toEqual([30, 120, 600, 3600, 21_600, 21_600, 21_600])
  const [dead] = await events(shop)
  expect(dead).toMatchObject({ state: 'dead', next_attempt_at: null, dead_at: expect.any(String) })
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-timestamp'])).size).toBe(8)
  const [reservation] = await sharedPool().select().from(reservations).where(eq(reservations.businessId, shop.context.business.id))
  expect(reservation?.releaseReason).toBe('dead')
  const attempts = (await getEvent(shop.operator, dead?.id ?? '')).delivery_attempts
  expect(attempts.map(({ attempt, status }) => [attempt, status])).toEqual(Array.from({ length: 8 }, (_, index) => [index + 1, 500]))
})

test('a dead event is sent again whenever it is asked, under its own id with a fresh round, and reserves nothing', async () => {
  const shop = await openShop()
  await shop.sell({ 'SKU-1': 2 })
  const die = async () => {
    receiver.answerWith(503)
    for (let attempt = 0; attempt < 8; attempt += 1) {
      expect(await turn(shop)).toBe(1)
      shop.clock.advance(21_600_000)
    }
  }
  for (let round = 0; round < 3; round += 1) {
    await die()
    expect((await events(shop))[0]?.state).toBe('dead')
    const which = round === 1 ? { deadSince: new Date(0) } : { eventIds: [(await events(shop))[0]?.id ?? ''] }
    expect(await resendEvents(shop.operator, which)).toEqual({ resent: 1 })
    expect(await resendEvents(shop.operator, which)).toEqual({ resent: 0 })
    expect(await reservedAt(shop)).toBe(0)
  }
  receiver.answerWith(200)
  expect(await turn(shop)).toBe(1)
  expect((await events(shop))[0]?.state).toBe('confirmed')
  expect(new Set(receiver.ids()).size).toBe(1)
  expect((await getEvent(shop.operator, (await events(shop))[0]?.id ?? '')).delivery_attempts.at(-1)).toMatchObject({ round: 3, attempt: 1 })
})

test('a reservation ends at 48 hours while its event still waits to be confirmed', async () => {
  const shop = await openShop()
  receiver.answerWith(500)
  await shop.sell({ 'SKU-1': 2 })
  await turn(shop)
  shop.clock.advance(48 * 3_600_000 - 1)
  expect(await reservedAt(shop)).toBe(2)
  shop.clock.advance(1)
  expect(await reservedAt(shop)).toBe(0)
  expect((await events(shop))[0]?.state).toBe('pending')
})

describe('acknowledgement against delivery', () => {
  test('an acknowledged event is not sent, at any point of its schedule', async () => {
    for (let failures = 0; failures <= 8; failures += 1) {
      const shop = await openShop()
      receiver.answerWith(500)
      await shop.sell({ 'SKU-1': 1 })
      for (let failed = 0; failed < failures; failed += 1) {
        expect(await turn(shop)).toBe(1)
        shop.clock.advance(21_600_000)
      }
      const sent = receiver.received.length
      const [event] = await events(shop)
      expect(await acknowledge(shop.context, { event_ids: [event?.id ?? ''] })).toEqual({ acknowledged: 1 })
      shop.clock.advance(86_400_000)
      expect(await turn(shop)).toBe(0)
      expect(receiver.received).toHaveLength(sent)
      expect((await events(shop))[0]).toMatchObject({ state: 'confirmed', confirmed_by: 'ack' })
    }
  })

  test('one that comes during an attempt wins over its failure', async () => {
    const shop = await openShop()
    receiver.answerWith(500)
    await shop.sell({ 'SKU-1': 1 })
    const claimed = await claim(shop)
    const outcome = await deliver(claimed[0] as ClaimedDelivery, shop.clock)
    await acknowledge(shop.context, { event_ids: [claimed[0]?.eventId ?? ''] })
    await settle(shop, claimed, [outcome])
    expect((await events(shop))[0]).toMatchObject({ state: 'confirmed', confirmed_by: 'ack', next_attempt_at: null })
    expect((await getEvent(shop.operator, claimed[0]?.eventId ?? '')).delivery_attempts).toMatchObject([{ status: 500 }])
  })
})

describe('order of events', () => {
  test('a later event of an order waits for the earlier, using none of its attempts; other orders do not wait', async () => {
    const shop = await openShop()
    const isFirst = (body: string) => JSON.parse(body).data.order_num === 1
    receiver.answerWith(({ body }, response) => response.writeHead(isFirst(body) ? 500 : 200).end())
    const { order_id: orderId } = await shop.sell({ 'SKU-1': 1 })
    await changeOrder(shop.operator, { orderId, status: 'ready' })
    await cancelOrder(shop.operator, { orderId })
    await shop.sell({ 'SKU-1': 1 })
    await turn(shop)
    await turn(shop)
    expect((await events(shop)).map(({ state, attempts }) => [state, attempts])).toEqual([
      ['pending', 1],
      ['pending', 0],
      ['pending', 0],
      ['confirmed', 0],
    ])
    receiver.answerWith(200)
    shop.clock.advance(30_000)
    for (let turns = 0; turns < 3; turns += 1) expect(await turn(shop)).toBe(1)
    const types = receiver.received.filter(({ body }) => isFirst(body)).map(({ headers }) => headers['x-service-event'])
    expect(types).toEqual(['order.created', 'order.created', 'order.updated', 'order.cancelled'])
  })

  test('when the earlier one dies or is acknowledged, the later one goes at once', async () => {
    const shop = await openShop()
    receiver.answerWith(500)
    const { order_id: orderId } = await shop.sell({ 'SKU-1': 1 })
    await changeOrder(shop.operator, { orderId, status: 'ready' })
    await turn(shop)
    await acknowledge(shop.context, { event_ids: [(await events(shop))[0]?.id ?? ''] })
    receiver.answerWith(200)
    expect(await turn(shop)).toBe(1)
    expect((await events(shop)).map(({ state }) => state)).toEqual(['confirmed', 'confirmed'])
  })

  test('an event recorded while there was no address does not hold back a later one of its order', async () => {
    const shop = await makeShop({ products: [{ stock: 100 }] })
    const { order_id: orderId } = await shop.sell({ 'SKU-1': 1 })
    await setWebhook(shop.operator, { url: receiver.url })
    await changeOrder(shop.operator, { orderId, status: 'ready' })
    expect(await turn(shop)).toBe(1)
    expect(receiver.received[0]?.headers['x-service-event']).toBe('order.updated')
  })
})

describe('leases', () => {
  test('what one process has taken another does not, until the lease runs out; the cut-off attempt costs none of the eight', async () => {
    const shop = await openShop()
    await shop.sell({ 'SKU-1': 1 })
    expect(await claim(shop)).toHaveLength(1)
    expect(await claim(shop)).toHaveLength(0)
    shop.clock.advance(LEASE_MS)
    const [again] = await claim(shop)
    expect(again?.attempt).toBe(1)
  })

  test('a failure that comes after the lease was lost changes nothing; a success confirms all the same', async () => {
    const shop = await openShop()
    await shop.sell({ 'SKU-1': 1 })
    const late = await claim(shop)
    shop.clock.advance(LEASE_MS)
    const current = await claim(shop)
    const failure = { ok: false, status: 500, durationMs: 1, error: 'x', excerpt: null }
    await settle(shop, late, [failure])
    expect((await events(shop))[0]).toMatchObject({ state: 'pending', attempts: 0 })
    await settle(shop, late, [{ ...failure, ok: true, status: 200, error: null }])
    await settle(shop, current, [failure])
    expect((await events(shop))[0]).toMatchObject({ state: 'confirmed' })
  })

  test('many claims at once take each event once', async () => {
    const shop = await openShop()
    for (let sale = 0; sale < 60; sale += 1) await shop.sell({ 'SKU-1': 1 })
    const taken = (await Promise.all(Array.from({ length: 12 }, () => claim(shop, { limit: 10 })))).flat().map(({ eventId }) => eventId)
    expect(new Set(taken).size).toBe(taken.length)
    const rest = await claim(shop, { limit: 100, perBusiness: 100 })
    expect(taken.length + rest.length).toBe(60)
  })
})

describe('when nothing is to be sent', () => {
  test('without an address events wait and never die; one that is set later gets the new ones, and the old when asked', async () => {
    const shop = await makeShop({ products: [{ stock: 100 }] })
    await shop.sell({ 'SKU-1': 1 })
    shop.clock.advance(30 * 86_400_000)
    expect((await events(shop))[0]).toMatchObject({ state: 'pending', attempts: 0 })
    expect(await setWebhook(shop.operator, { url: receiver.url })).toMatchObject({ olderWaiting: 1 })
    await shop.sell({ 'SKU-1': 1 })
    expect(await turn(shop)).toBe(1)
    await setWebhook(shop.operator, { url: receiver.url, sendOlder: true })
    expect(await turn(shop)).toBe(1)
    await shop.sell({ 'SKU-1': 1 })
    await setWebhook(shop.operator, { url: null })
    await setWebhook(shop.operator, { url: receiver.url })
    expect(await turn(shop)).toBe(0)
  })

  test('module off or integration disabled pauses without using up attempts, and resumes', async () => {
    const shop = await openShop()
    await shop.sell({ 'SKU-1': 1 })
    await changeBusiness(shop.operator, { moduleEnabled: false })
    expect(await turn(shop)).toBe(0)
    await changeBusiness(shop.operator, { moduleEnabled: true })
    await changeIntegration(shop.operator, { enabled: false })
    shop.clock.advance(86_400_000)
    expect(await turn(shop)).toBe(0)
    await changeIntegration(shop.operator, { enabled: true })
    expect(await turn(shop)).toBe(1)
    expect((await events(shop))[0]).toMatchObject({ state: 'confirmed', attempts: 0 })
  })
})

test('after a rotation the old secret verifies for a day beside the new one, and no longer; rotating works every time', async () => {
  const shop = await openShop()
  const verify = async (secret: string) => {
    await shop.sell({ 'SKU-1': 1 })
    await turn(shop)
    const got = receiver.received.at(-1)
    // The verifier reads the real clock: its time is set to that of the delivery.
    const headers = { ...got?.headers, 'webhook-timestamp': got?.headers['webhook-timestamp'] ?? '' }
    const { vi } = await import('vitest')
    vi.useFakeTimers({ toFake: ['Date'], now: shop.clock.now() })
    try {
      new Webhook(secret).verify(got?.body ?? '', headers)
      return true
    } catch {
      return false
    } finally {
      vi.useRealTimers()
    }
  }
  const { secret: second } = await rotateWebhookSecret(shop.operator)
  expect([await verify(shop.secret), await verify(second)]).toEqual([true, true])
  shop.clock.advance(24 * 3_600_000)
  expect([await verify(shop.secret), await verify(second)]).toEqual([false, true])
  const { secret: third } = await rotateWebhookSecret(shop.operator)
  expect([await verify(second), await verify(third)]).toEqual([true, true])
})

test('the test ping is sent at once, signed, and its outcome told', async () => {
  const shop = await openShop()
  expect(await pingWebhook(shop.operator)).toMatchObject({ ok: true, status: 204, error: null })
  const payload = new Webhook(shop.secret).verify(receiver.received[0]?.body ?? '', receiver.received[0]?.headers ?? {})
  expect(payload).toMatchObject({ type: 'integration.ping', data: { sent_at: expect.any(String) } })
  receiver.answerWith((_, response) => void response.writeHead(500).end('no thanks'))
  expect(await pingWebhook(shop.operator)).toMatchObject({ ok: false, status: 500, excerpt: 'no thanks' })
})

test('the secret is stored encrypted, and an address that is not public is refused when it is set', async () => {
  const shop = await openShop()
  const rows = await sharedPool().query.integrations.findMany()
  expect(JSON.stringify(rows)).not.toContain(shop.secret.slice(6))
  await expect(setWebhook(shop.operator, { url: 'https://10.1.2.3/' })).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ field: 'url', issue: expect.stringContaining('private') }],
  })
})

test('no reservation is left behind when a confirmation and a cancellation race', async () => {
  const shop = await openShop()
  for (let round = 0; round < 15; round += 1) {
    const order = await shop.sell({ 'SKU-1': 1 })
    await Promise.all([turn(shop), cancelOrder(shop.operator, { orderId: order.order_id })])
  }
  const open = await sharedPool()
    .select()
    .from(reservations)
    .where(and(eq(reservations.businessId, shop.context.business.id), isNull(reservations.releasedAt)))
  expect(open).toEqual([])
  expect(await shop.ledgerFaults()).toEqual([])
})
