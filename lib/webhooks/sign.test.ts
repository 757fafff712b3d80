import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { makeSigningSecret, signedHeaders } from './sign'

const delivery = { id: '0190a000-0000-7000-8000-000000000001', type: 'order.created', body: '{"name":"Ñandú 😀 Å"}' }

test('an independent verifier accepts the Standard Webhooks headers, and any HMAC the service’s own', () => {
  const secret = makeSigningSecret()
  const now = new Date()
  const headers = signedHeaders(delivery, secret, null, now)
  expect(new Webhook(secret).verify(delivery.body, headers)).toEqual(JSON.parse(delivery.body))
  const timestamp = String(Math.floor(now.getTime() / 1000))
  expect(headers).toMatchObject({
    'x-service-event': 'order.created',
    'x-service-event-id': delivery.id,
    'x-service-timestamp': timestamp,
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(`${timestamp}.${delivery.body}`).digest('hex')}`,
  })
  expect(() => new Webhook(secret).verify(`${delivery.body} `, headers)).toThrow()
})

test('after a rotation both secrets verify, and the service’s own header is made with the new one', () => {
  const [old, fresh] = [makeSigningSecret(), makeSigningSecret()]
  const now = new Date()
  const headers = signedHeaders(delivery, fresh, old, now)
  for (const secret of [old, fresh]) new Webhook(secret).verify(delivery.body, headers)
  expect(headers['x-service-signature']).toBe(signedHeaders(delivery, fresh, null, now)['x-service-signature'])
})
