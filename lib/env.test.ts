import { expect, test } from 'vitest'
import { readSettings } from './env'

test('nothing is needed to start', () => {
  expect(readSettings({})).toMatchObject({ PORT: 3000, DATA_DIR: '.data', TRUSTED_PROXY_HOPS: 0 })
})

test.each([
  [{ DATABASE_URL: 'mysql://localhost' }, /DATABASE_URL must be an address such as postgres:/],
  [{ DATABASE_URL: 'postgres://u:p@h/d' }, /APP_SECRET is needed with DATABASE_URL.*openssl rand/],
  [{ DATABASE_URL: 'postgres://u:p@h/d', APP_SECRET: 'short' }, /APP_SECRET must have at least 32 characters/],
  [{ PORT: 'eighty' }, /PORT must be a whole number from 0 to 65535/],
  [{ UPSTASH_REDIS_REST_URL: 'https://x.upstash.io' }, /UPSTASH_REDIS_REST_TOKEN is missing/],
  [{ TRUSTED_PROXY_HOPS: '-1' }, /TRUSTED_PROXY_HOPS must be a whole number/],
])('%o is explained', (environment, message) => {
  expect(() => readSettings(environment)).toThrow(message)
})
