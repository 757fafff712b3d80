import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startProxy } from '@/db/testing/proxy'
import { startService } from './testing/start-service'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'external-inventory-serve-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const catalog = (url: string, key: string | null, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/v1/external/catalog?limit=500`, { headers: { Authorization: `Bearer ${key}`, ...headers } })

const ops = (environment: Record<string, string>, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['ops/bootstrap.mjs', 'ops', ...args], {
    env: { ...process.env, DATABASE_URL: '', WEBHOOK_ALLOW_LOCAL: '', NODE_ENV: 'production', ...environment },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('the embedded service: demo data once, kept over kill -9 and restart, one start at a time, commands beside it', async () => {
  const DATA_DIR = join(folder, 'data')
  const first = await startService({ DATA_DIR })
  expect(first.output()).toMatch(/owner@demo\.example[\s\S]*Password[\s\S]*curl -s -H/)
  const items = (await (await catalog(first.url, first.key)).json()).items
  expect(items.length).toBeGreaterThanOrEqual(60)

  await expect(startService({ DATA_DIR })).rejects.toThrow(/already running at http/)
  const beside = ops({ DATA_DIR }, 'product', 'track', 'on', '--business', 'demo', '--sku', 'GIF-25', '--opening-stock', '4', '--json')
  expect(JSON.parse(beside.stdout)).toMatchObject({ tracked: true, stock: 4 })
  await first.end('SIGKILL')

  const second = await startService({ DATA_DIR })
  expect(second.key).toBeNull()
  const kept = (await (await catalog(second.url, first.key)).json()).items
  expect(kept).toHaveLength(items.length)
  expect(kept.find(({ sku }: { sku: string }) => sku === 'GIF-25').stock).toBe(4)
  expect(await second.end('SIGTERM')).toBe(0)
  expect(second.output()).toContain('Stopped.')

  expect(ops({ DATA_DIR }, 'stock', 'check', '--business', 'demo', '--json')).toMatchObject({ status: 0, stdout: expect.stringContaining('"faults":[]') })
  const wrong = ops({ DATA_DIR }, 'key', 'revoke', '--business', 'demo', '--prefix', 'nope', '--json')
  expect(wrong).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('There is no active key nope') })
})

test('SIGTERM lets a request in flight finish', async () => {
  const service = await startService({ DATA_DIR: join(folder, 'drain') })
  const { port } = new URL(service.url)
  const body = JSON.stringify({ items: [{ sku: 'COF-ESP-250', stock: 3 }] })
  let answer = ''
  const socket = connect(Number(port), '127.0.0.1')
  const closed = new Promise((done) => socket.once('close', done))
  socket.on('data', (chunk) => (answer += chunk))
  socket.write(
    `PUT /api/v1/external/stock HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.key}\r\nIdempotency-Key: in-flight-1\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  )
  await expect.poll(() => service.output()).toContain('Ready')
  const ended = service.end('SIGTERM')
  await expect.poll(() => service.output()).toContain('finishing requests')
  socket.write(body.slice(5))
  expect(await ended).toBe(0)
  await closed
  expect(answer).toContain('"applied":1')
})

test.skipIf(process.getuid?.() !== 0)('as root, in a folder that the database’s user may not enter', async () => {
  const closed = join(folder, 'closed')
  await mkdir(closed, { mode: 0o700 })
  await chmod(closed, 0o700)
  const service = await startService({ DATA_DIR: join(closed, 'data') })
  expect((await catalog(service.url, service.key)).status).toBe(200)
  await service.end('SIGTERM')
})

describe('what is wrong at start is said in words', () => {
  test('a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => other.once('listening', listening))
    const { port } = other.address() as { port: number }
    await expect(startService({ PORT: String(port), DATA_DIR: join(folder, 'port') })).rejects.toThrow(`Port ${port} is taken by another program`)
    other.close()
  })

  test.each([
    [{ DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' }, /APP_SECRET is needed with DATABASE_URL/],
    [{ DATABASE_URL: 'nonsense', APP_SECRET: 'x'.repeat(32) }, /DATABASE_URL must be an address such as/],
    [{ DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x', APP_SECRET: 'x'.repeat(32) }, /The database x at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/],
  ])('%o', async (environment, message) => {
    await expect(startService({ HOST: '127.0.0.1', ...environment } as Record<string, string>)).rejects.toThrow(message)
  })
})

describe('on a given database', () => {
  const environment = () => ({ DATABASE_URL: process.env.DATABASE_URL ?? inject('templateUrl'), APP_SECRET: 'x'.repeat(32), HOST: '127.0.0.1' })

  test('no demo is made; the client cannot choose the address it is counted under; unroutable requests get the error body', async () => {
    const service = await startService(environment())
    expect(service.key).toBeNull()
    expect(JSON.parse(ops(environment(), 'business', 'list', '--json').stdout)).toEqual([])
    const answers = []
    for (let sent = 0; sent < 31; sent += 1) {
      answers.push(
        await fetch(`${service.url}/api/v1/external/ping`, {
          method: 'POST',
          headers: { 'X-Forwarded-For': `198.51.100.${sent}`, 'X-Real-IP': `198.51.100.${sent}`, 'x-vercel-forwarded-for': `198.51.100.${sent}` },
        }),
      )
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array(30).fill(401), 429])
    for (const [method, path, status] of [
      ['PROPFIND', 'stock', 405],
      ['GET', '%zz', 404],
      ['GET', 'stock/', 405],
      ['POST', 'ping/%2e%2e/x', 404],
    ] as const) {
      const answer = await raw(service.url, method, `/api/v1/external/${path}`)
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
      expect(answer.toLowerCase()).toContain('x-request-id')
      expect(answer).toContain('"request_id"')
    }
    await service.end('SIGTERM')
  })

  test('behind one trusted proxy its entry counts, and what the client put before it does not', async () => {
    const service = await startService({ ...environment(), TRUSTED_PROXY_HOPS: '1' })
    const remaining = async (forwarded: string) =>
      (await fetch(`${service.url}/api/v1/external/ping`, { method: 'POST', headers: { 'X-Forwarded-For': forwarded } })).headers.get('x-ratelimit-remaining')
    expect([await remaining('1.1.1.1, 203.0.113.5'), await remaining('2.2.2.2, 203.0.113.5'), await remaining('203.0.113.5, 203.0.113.6')]).toEqual([
      '29',
      '28',
      '29',
    ])
    await service.end('SIGTERM')
  })

  test('a database that goes away is answered with 500 within seconds, and not ready; when it is back, so are we', async () => {
    const real = new URL(environment().DATABASE_URL)
    const proxy = await startProxy(Number(real.port))
    const through = new URL(real)
    through.port = String(proxy.port)
    const service = await startService({ ...environment(), DATABASE_URL: through.href })
    const call = async () => {
      const startedAt = Date.now()
      const response = await fetch(`${service.url}/api/v1/external/catalog`, { headers: { Authorization: `Bearer ${WELL_FORMED_KEY}` } })
      return { status: response.status, slow: Date.now() - startedAt > 11_000, code: (await response.json()).error.code }
    }
    expect(await call()).toMatchObject({ status: 401 })
    for (const fault of ['refuse', 'hang'] as const) {
      proxy.set(fault)
      expect(await call()).toEqual({ status: 500, slow: false, code: 'INTERNAL_ERROR' })
      expect((await fetch(`${service.url}/api/health/ready`)).status).toBe(503)
      expect((await fetch(`${service.url}/api/health`)).status).toBe(200)
    }
    proxy.set('pass')
    await expect.poll(async () => (await call()).status, { timeout: 30_000 }).toBe(401)
    await service.end('SIGTERM')
    proxy.close()
  })
})

// Its checksum is right, so that it is looked for in the database.
const { makeKey } = await import('@/lib/keys/rules')
const WELL_FORMED_KEY = makeKey().key

async function raw(url: string, method: string, path: string): Promise<string> {
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.end(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}
