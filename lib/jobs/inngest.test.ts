import { InngestTestEngine } from '@inngest/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sharedPool } from '@/db/client'
import { acknowledge } from '../events/acknowledge'
import { listEvents } from '../events/list-events'
import { changeIntegration } from '../integration/change-integration'
import { type Receiver, startReceiver } from '../testing/receiver'
import { makeShop } from '../testing/shop'
import { setWebhook } from '../webhooks/configure'
import { listDue } from '../webhooks/progress'
import { attemptEvent, inngestFunctions } from './inngest'

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver[Symbol.asyncDispose]())

async function dueEvent() {
  const shop = await makeShop({ products: [{ stock: 100 }] })
  await setWebhook(shop.operator, { url: receiver.url })
  await shop.sell({ 'SKU-1': 1 })
  const [event] = await listEvents(shop.operator, {})
  const deps = { db: sharedPool, clock: shop.clock, send: { timeoutMs: 1000 } }
  const [deliverEvent, sweep] = inngestFunctions(deps)
  return { shop, deps, sweep, businessId: shop.context.business.id, eventId: event?.id ?? '', deliverEvent }
}

const engine = (fn: unknown, data: object, steps: object[] = []) =>
  new InngestTestEngine({ function: fn as never, events: [{ name: 'order-event/due', data }], steps: steps as never })

test('a delivered event ends the run with one sending', async () => {
  const { deliverEvent, businessId, eventId } = await dueEvent()
  const { result } = await engine(deliverEvent, { businessId, eventId }).execute()
  expect(result).toEqual({ state: 'confirmed', nextAttemptAt: null })
  expect(receiver.ids()).toEqual([eventId])
})

test('a failed attempt sleeps until the time that its row names, and tries again then', async () => {
  const { shop, deliverEvent, businessId, eventId } = await dueEvent()
  receiver.answerWith(500)
  const { step } = await engine(deliverEvent, { businessId, eventId }).executeStep('until-attempt-2')
  expect(step).toBeDefined()
  const [event] = await listEvents(shop.operator, {})
  expect(new Date(event?.next_attempt_at ?? 0).getTime() - shop.clock.now().getTime()).toBe(30_000)
  receiver.answerWith(200)
  shop.clock.advance(30_000)
  const { result } = await engine(deliverEvent, { businessId, eventId }, [
    { id: 'attempt-1', handler: () => ({ state: 'pending', nextAttemptAt: event?.next_attempt_at, over: false }) },
    { id: 'until-attempt-2', handler: () => {} },
  ]).execute()
  expect(result).toEqual({ state: 'confirmed', nextAttemptAt: null })
})

test('an event that was acknowledged during the sleep is not sent again, and the run ends', async () => {
  const { shop, deliverEvent, businessId, eventId } = await dueEvent()
  receiver.answerWith(500)
  await engine(deliverEvent, { businessId, eventId }).executeStep('until-attempt-2')
  const [event] = await listEvents(shop.operator, {})
  await acknowledge(shop.context, { event_ids: [eventId] })
  shop.clock.advance(30_000)
  const { result } = await engine(deliverEvent, { businessId, eventId }, [
    { id: 'attempt-1', handler: () => ({ state: 'pending', nextAttemptAt: event?.next_attempt_at, over: false }) },
    { id: 'until-attempt-2', handler: () => {} },
  ]).execute()
  expect(result).toEqual({ state: 'confirmed', nextAttemptAt: null })
  expect(receiver.received).toHaveLength(1)
})

test('an event that is due but paused ends its run at once, for the sweep to wake', async () => {
  const { shop, deliverEvent, businessId, eventId } = await dueEvent()
  await changeIntegration(shop.operator, { enabled: false })
  const { result } = await engine(deliverEvent, { businessId, eventId }).execute()
  expect(result).toMatchObject({ state: 'pending' })
  expect(receiver.received).toHaveLength(0)
})

test('waking too early, twice at once, or after an acknowledgement sends nothing', async () => {
  const { shop, deps, businessId, eventId } = await dueEvent()
  receiver.answerWith(500)
  await Promise.all([attemptEvent(deps, businessId, eventId), attemptEvent(deps, businessId, eventId)])
  expect(receiver.received).toHaveLength(1)
  shop.clock.advance(29_999)
  expect(await attemptEvent(deps, businessId, eventId)).toMatchObject({ state: 'pending' })
  await acknowledge(shop.context, { event_ids: [eventId] })
  shop.clock.advance(60_000)
  expect(await attemptEvent(deps, businessId, eventId)).toEqual({ state: 'confirmed', nextAttemptAt: null })
  expect(receiver.received).toHaveLength(1)
})

test('the sweep finds what is due and nothing else', async () => {
  const { shop, deps, businessId, eventId } = await dueEvent()
  const due = async () => (await listDue(sharedPool(), shop.clock.now(), 100)).filter((event) => event.businessId === businessId)
  expect(await due()).toMatchObject([{ businessId, eventId }])
  receiver.answerWith(500)
  await attemptEvent(deps, businessId, eventId)
  expect(await due()).toEqual([])
  shop.clock.advance(30_000)
  expect(await due()).toMatchObject([{ businessId, eventId }])
  await setWebhook(shop.operator, { url: null })
  expect(await due()).toEqual([])
})
