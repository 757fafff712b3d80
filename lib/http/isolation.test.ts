import { expect, test } from 'vitest'
import { callRoute } from '@/app/api/v1/external/call-route'
import { revokeKey, rotateKey } from '../keys/retire-key'
import { cancelOrder } from '../orders/cancel-order'
import { changeOrder } from '../orders/change-order'
import { makeShop, type Shop } from '../testing/shop'

/** All that an integrator can see of a business. */
const seen = async (shop: Shop) => ({
  catalog: (await callRoute({ key: shop.key, method: 'GET', path: '/catalog?limit=500' })).body,
  feed: (await callRoute({ key: shop.key, method: 'GET', path: '/orders?limit=500' })).body,
})

test('no endpoint shows or changes another business, with whatever identifiers of it', async () => {
  const victim = await makeShop({ products: [{ sku: 'THEIRS', external_id: 'THEIR-ID', name: 'Their product', stock: 50 }] })
  const attacker = await makeShop({ products: [{ sku: 'MINE', stock: 1 }] })
  const order = await victim.sell({ THEIRS: 5 })
  const before = await seen(victim)
  const eventId = before.feed.events[0].id
  const productId = before.catalog.items[0].id

  const call = async (method: string, path: string, body?: unknown) => (await callRoute({ key: attacker.key, method, path, body })).body
  const answers = [
    await call('POST', '/ping'),
    await call('PUT', '/stock', {
      items: [
        { sku: 'THEIRS', stock: 1 },
        { external_id: 'THEIR-ID', stock: 2 },
      ],
    }),
    await call('PATCH', '/catalog/mapping', {
      items: [
        { sku: 'THEIRS', external_id: null },
        { sku: 'MINE', external_id: 'THEIR-ID' },
      ],
    }),
    await call('GET', `/catalog?cursor=${productId - 1}&limit=500`),
    await call('GET', '/orders?after=0&limit=500'),
    await call('POST', '/orders/ack', { event_ids: [eventId] }),
  ]
  expect(answers[1].results.map(({ status }: { status: string }) => status)).toEqual(['not_found', 'not_found'])
  expect(answers[2].results.map(({ status }: { status: string }) => status)).toEqual(['not_found', 'mapped'])
  expect(answers[5]).toEqual({ acknowledged: 0 })
  const shown = JSON.stringify(answers)
  for (const secret of [victim.context.business.id, 'Their product', eventId, order.order_id]) expect(shown).not.toContain(secret)

  await expect(attacker.sell({ THEIRS: 1 })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  for (const attempt of [
    () => cancelOrder(attacker.operator, { orderId: order.order_id }),
    () => changeOrder(attacker.operator, { orderId: order.order_id, status: 'ready' }),
    () => revokeKey(attacker.operator, victim.prefix),
    () => rotateKey(attacker.operator, victim.prefix),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }
  expect(await seen(victim)).toEqual(before)
})
