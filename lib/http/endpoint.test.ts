import { expect, test } from 'vitest'
import { z } from 'zod'
import { callRoute } from '@/app/api/v1/external/call-route'
import { changeBusiness } from '../businesses/change-business'
import { defineContract } from '../contract'
import { changeIntegration } from '../integration/change-integration'
import { rotateKey } from '../keys/retire-key'
import { apiRequest, makeShop } from '../testing/shop'
import { endpoint } from './endpoint'

const CALLS = [
  { method: 'POST', path: '/ping' },
  { method: 'PUT', path: '/stock', body: { items: [{ sku: 'SKU-1', stock: 1 }] } },
  { method: 'GET', path: '/catalog' },
  { method: 'PATCH', path: '/catalog/mapping', body: { items: [{ sku: 'SKU-1', external_id: null }] } },
  { method: 'GET', path: '/orders' },
  { method: 'POST', path: '/orders/ack', body: { event_ids: ['0190a000-0000-7000-8000-000000000001'] } },
]
const WRITES = ['/stock', '/catalog/mapping']

const codes = async (key: string | null, change: object = {}) =>
  Object.fromEntries(
    await Promise.all(
      CALLS.map(async (call) => {
        const { status, body } = await callRoute({ key, ...call, ...change })
        return [call.path, body.error ? `${status} ${body.error.code}` : status]
      }),
    ),
  )
const all = (outcome: unknown, writes = outcome) => Object.fromEntries(CALLS.map(({ path }) => [path, WRITES.includes(path) ? writes : outcome]))

test('with a good key every endpoint answers 200', async () => {
  const shop = await makeShop({ products: [{ stock: 1 }] })
  expect(await codes(shop.key)).toEqual(all(200))
})

test('no key, another scheme, a mistyped key and an unknown one are INVALID_API_KEY; a replaced one is API_KEY_REVOKED', async () => {
  const shop = await makeShop()
  expect(await codes(null)).toEqual(all('401 INVALID_API_KEY'))
  for (const authorization of [
    `Basic ${shop.key}`,
    shop.key,
    'Bearer',
    `Bearer ${shop.key}x`,
    `Bearer ${shop.key.slice(0, -1)}_`,
    `Bearer ${shop.key} ${shop.key}`,
  ]) {
    const { status, headers, body } = await callRoute({ method: 'POST', path: '/ping', headers: { Authorization: authorization } })
    expect([authorization, status, headers.get('www-authenticate'), body.error.code]).toEqual([authorization, 401, 'Bearer', 'INVALID_API_KEY'])
  }
  const { key } = await rotateKey(shop.operator, shop.prefix)
  expect(await codes(shop.key)).toEqual(all('401 API_KEY_REVOKED'))
  expect((await callRoute({ key, method: 'POST', path: '/ping' })).status).toBe(200)
})

test('a replaced key with a wrong secret tells nothing of the key that was', async () => {
  const [shop, other] = [await makeShop(), await makeShop()]
  const [, , , secret] = other.key.split('_')
  const { body } = await callRoute({ key: `svk_live_${shop.prefix}_${secret}`, method: 'POST', path: '/ping' })
  expect(body.error.code).toBe('INVALID_API_KEY')
})

test('module off is 403 everywhere; a disabled or absent integration stops writes only; scope comes before integration', async () => {
  const shop = await makeShop({ products: [{ stock: 1 }], scopes: ['stock:write', 'catalog:read', 'orders:read'] })
  await changeIntegration(shop.operator, { enabled: false })
  expect(await codes(shop.key)).toEqual(all(200, '403 INTEGRATION_DISABLED'))
  await changeBusiness(shop.operator, { moduleEnabled: false })
  expect(await codes(shop.key)).toEqual(all('403 MODULE_DISABLED'))
  const reader = await makeShop({ scopes: ['catalog:read'] })
  await changeIntegration(reader.operator, { enabled: false })
  expect(await codes(reader.key)).toEqual({ ...all('403 INSUFFICIENT_SCOPE'), '/ping': 200, '/catalog': 200 })
})

test('who may not call learns that before anything is said of the body', async () => {
  const reader = await makeShop({ scopes: ['orders:read'] })
  const { body } = await callRoute({ key: reader.key, method: 'PUT', path: '/stock', body: 'not json' })
  expect(body.error.code).toBe('INSUFFICIENT_SCOPE')
})

test('every answer carries its request id, in the header and in an error’s body, and is never stored', async () => {
  const shop = await makeShop()
  for (const call of [...CALLS, { method: 'GET', path: '/nowhere' }, { method: 'DELETE', path: '/stock' }]) {
    const { headers, body } = await callRoute({ key: shop.key, ...call })
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('cache-control')).toBe('no-store')
    if (body.error) expect(body.request_id).toBe(headers.get('x-request-id'))
  }
})

test('an unknown path is 404 NOT_FOUND, a known one with another method 405 with Allow', async () => {
  const { status, body } = await callRoute({ method: 'GET', path: '/products' })
  expect([status, body.error.code]).toEqual([404, 'NOT_FOUND'])
  for (const { method, path } of CALLS) {
    const refused = await callRoute({ method: 'DELETE', path })
    expect([refused.status, refused.body.error.code, refused.headers.get('allow')]).toEqual([405, 'BAD_REQUEST', method === 'GET' ? 'GET, HEAD' : method])
  }
})

test('the limit of each route is counted by itself, per address, before the key, and told in the headers', async () => {
  const shop = await makeShop()
  const from = '203.0.113.7'
  for (let sent = 0; sent < 30; sent += 1) await callRoute({ key: sent % 2 ? shop.key : 'wrong', method: 'POST', path: '/ping', from })
  const refused = await callRoute({ key: shop.key, method: 'POST', path: '/ping', from })
  expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMITED'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
  const elsewhere = await callRoute({ key: shop.key, method: 'GET', path: '/catalog', from })
  expect([elsewhere.status, elsewhere.headers.get('x-ratelimit-limit'), elsewhere.headers.get('x-ratelimit-remaining')]).toEqual([200, '60', '59'])
  expect(Math.abs(Number(elsewhere.headers.get('x-ratelimit-reset')) - (Date.now() / 1000 + 60))).toBeLessThan(2)
  expect((await callRoute({ key: shop.key, method: 'POST', path: '/ping', from: '203.0.113.8' })).status).toBe(200)
})

test('a fault inside is a 500 that says nothing of its cause', async () => {
  const shop = await makeShop()
  const contract = defineContract({ method: 'POST', path: '/fault', summary: '', scope: null, limitPerMinute: 60, answer: z.object({}) })
  const response = await endpoint(contract, async () => Promise.reject(new Error('select password from users')))(
    apiRequest({ key: shop.key, method: 'POST', path: '/fault' }),
    undefined,
  )
  const text = await response.text()
  expect([response.status, JSON.parse(text).error.code]).toEqual([500, 'INTERNAL_ERROR'])
  expect(text).not.toContain('password')
})

test('a deprecated route says since when and until when', async () => {
  const shop = await makeShop()
  const deprecated = { since: new Date('2027-01-01T00:00:00Z'), sunset: new Date('2027-07-01T00:00:00Z') }
  const contract = defineContract({ method: 'POST', path: '/old', summary: '', scope: null, limitPerMinute: 60, answer: z.object({}), deprecated })
  const { headers } = await endpoint(contract, async () => ({}))(apiRequest({ key: shop.key, method: 'POST', path: '/old' }), undefined)
  expect([headers.get('deprecation'), headers.get('sunset')]).toEqual(['@1798761600', 'Thu, 01 Jul 2027 00:00:00 GMT'])
})
