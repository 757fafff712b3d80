import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { callRoute } from '@/app/api/v1/external/call-route'
import { makeShop, type Shop } from '../testing/shop'

const HOSTILE_JSON = [
  '1e309',
  '-1e309',
  '-0',
  '99999999999.9995',
  '0.30000000000000004',
  '1e-7',
  '9007199254740993',
  'null',
  'true',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\u202e\ufeff"',
  `"${'x'.repeat(5000)}"`,
  '[]',
  '{}',
  '[[[[]]]]',
  '{"__proto__":{"stock":1}}',
  '{"constructor":1}',
  '"2026-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59.999999999Z"',
  '"0001-01-01T00:00:00+14:00"',
  '9223372036854775807',
  '"SKU-1"',
  '1',
  '0',
]
const value = fc.oneof(fc.constantFrom(...HOSTILE_JSON), fc.json())
const fields = (names: string[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 6 })
    .map((pairs) => `{${pairs.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`)
const items = (names: string[]) => fc.array(fc.oneof(fields(names), value), { maxLength: 5 }).map((entries) => `[${entries.join(',')}]`)
const body = (list: string, names: string[]) =>
  fc.oneof(
    { weight: 6, arbitrary: items(names).map((json) => `{"${list}":${json}}`) },
    { weight: 2, arbitrary: fc.tuple(items(names), value).map(([first, second]) => `{"${list}":${second},"${list}":${first}}`) },
    { weight: 2, arbitrary: value },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  )
const stockNames = ['sku', 'external_id', 'stock', 'version', 'observed_at', '__proto__', 'constructor']
const calls = fc.oneof(
  body('items', stockNames).map((text) => ({ method: 'PUT', path: '/stock', body: text })),
  body('items', ['sku', 'external_id']).map((text) => ({ method: 'PATCH', path: '/catalog/mapping', body: text })),
  body('event_ids', ['id']).map((text) => ({ method: 'POST', path: '/orders/ack', body: text })),
  fc
    .tuple(
      fc.constantFrom('/catalog', '/orders'),
      fc.constantFrom('cursor', 'after', 'limit', '%00', '__proto__'),
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('1e309', '-0', '٣', '0x10', '99999999999999999999', ' 1')),
    )
    .map(([path, name, text]) => ({ method: 'GET', path: `${path}?${name}=${encodeURIComponent(text.toWellFormed())}` })),
)

let shop: Shop
beforeAll(async () => {
  shop = await makeShop({ products: [{ stock: 5, external_id: 'E' }, { stock: 5 }] })
})

test('whatever is sent, the answer is 200 or a named 400, and the books still add up', async () => {
  await fc.assert(
    fc.asyncProperty(calls, async (call) => {
      const { status, body } = await callRoute({ key: shop.key, ...call })
      expect([200, 400]).toContain(status)
      if (status === 400) expect(body.error.details.length).toBeGreaterThan(0)
    }),
    { numRuns: 600 },
  )
  expect(await shop.ledgerFaults()).toEqual([])
})

test.each<[string, string | Uint8Array]>([
  ['no body', ''],
  ['bytes that are not UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-16', new Uint8Array(Buffer.from('{"items":[]}', 'utf16le'))],
  ['a list', '[]'],
  ['null', 'null'],
  ['a hundred thousand brackets', '['.repeat(100_000)],
  ['a deep object', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}x`],
  ['more than 1 MiB', `{"items":[],"padding":"${'x'.repeat(1024 * 1024)}"}`],
])('%s is refused, field body', async (_, text) => {
  const { status, body } = await callRoute({ key: shop.key, method: 'PUT', path: '/stock', body: text })
  expect([status, body.error.code, body.error.details[0].field]).toEqual([400, 'VALIDATION_FAILED', 'body'])
})

test('a body without end is not read past the limit', async () => {
  let sent = 0
  const stream = new ReadableStream({
    pull(controller) {
      sent += 65_536
      controller.enqueue(new Uint8Array(65_536).fill(32))
    },
  })
  const { PUT } = await import('@/app/api/v1/external/stock/route')
  const response = await PUT(
    new Request('http://localhost/api/v1/external/stock', {
      method: 'PUT',
      body: stream,
      duplex: 'half',
      headers: { Authorization: `Bearer ${shop.key}`, 'Idempotency-Key': 'endless-1', 'X-Forwarded-For': '198.51.100.9' },
    } as RequestInit),
    undefined,
  )
  expect(response.status).toBe(400)
  expect(sent).toBeLessThan(2 * 1024 * 1024)
})
