import { spawn, spawnSync } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Redis } from '@upstash/redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestClock } from '../testing/clock'
import { EmbeddedRateLimiter, UpstashRateLimiter } from './rate-limit'

describe('embedded', () => {
  test('never lets more than the limit pass in any 60 seconds, and says exactly when the next one does', async () => {
    const clock = new TestClock()
    const limiter = new EmbeddedRateLimiter(clock)
    const passed: number[] = []
    for (let step = 0; step < 2000; step += 1) {
      const verdict = await limiter.limit('a', 30)
      if (verdict.allowed) passed.push(clock.now().getTime())
      else if (step % 7 === 0) {
        clock.advance(verdict.nextAtMs - clock.now().getTime() - 1)
        expect((await limiter.limit('a', 30)).allowed).toBe(false)
        clock.advance(1)
        expect((await limiter.limit('a', 30)).allowed).toBe(true)
        passed.push(clock.now().getTime())
      }
      clock.advance((step * 37) % 400)
    }
    for (const [index, time] of passed.entries()) expect((passed[index + 30] ?? Number.POSITIVE_INFINITY) - time).toBeGreaterThanOrEqual(60_000)
  })

  test('identifiers do not share a count', async () => {
    const limiter = new EmbeddedRateLimiter(new TestClock())
    await limiter.limit('a', 1)
    expect((await limiter.limit('a', 1)).allowed).toBe(false)
    expect((await limiter.limit('b', 1)).allowed).toBe(true)
  })
})

const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) console.warn('skipped: the Upstash limiter on a real Redis, because redis-server is not installed')

describe.skipIf(!hasRedis)('upstash, on a real Redis', () => {
  let bridge: Server
  let stopRedis: () => void
  let url: string
  /** What the bridge does with a request: pass it on, leave it hanging, or refuse it. */
  let mode: 'pass' | 'hang' | 'refuse' = 'pass'
  let asked = 0

  beforeAll(async () => {
    const port = await freePort()
    const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], { stdio: 'ignore' })
    stopRedis = () => redis.kill('SIGKILL')
    bridge = createServer(async (request, response) => {
      asked += 1
      if (mode === 'hang') return
      if (mode === 'refuse') return void response.writeHead(503).end('{"error":"down"}')
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const sent = JSON.parse(Buffer.concat(chunks).toString())
      const reply = async (command: string[]) => {
        const value = await redisCommand(port, command)
        return value instanceof Error ? { error: value.message } : { result: value }
      }
      const answer = request.url === '/pipeline' ? await Promise.all(sent.map(reply)) : await reply(sent)
      response.writeHead('error' in answer ? 400 : 200).end(JSON.stringify(answer))
    })
    await new Promise<void>((listening) => bridge.listen(0, '127.0.0.1', listening))
    url = `http://127.0.0.1:${(bridge.address() as AddressInfo).port}`
    while ((await redisCommand(port, ['PING']).catch(() => null)) !== 'PONG') await new Promise((again) => setTimeout(again, 20))
  })
  afterAll(() => {
    stopRedis()
    bridge.closeAllConnections()
    bridge.close()
  })

  const makeLimiter = (clock = new TestClock()) =>
    new UpstashRateLimiter(new Redis({ url, token: 'test', retry: false, enableTelemetry: false, responseEncoding: false }), clock)

  test('two processes count together, and what is refused is told when to come back', async () => {
    const limiters = [makeLimiter(), makeLimiter()]
    const verdicts = await Promise.all(Array.from({ length: 24 }, (_, index) => limiters[index % 2]?.limit('shared', 10)))
    expect(verdicts.filter((verdict) => verdict?.allowed)).toHaveLength(10)
    const refused = verdicts.find((verdict) => !verdict?.allowed)
    expect(refused?.nextAtMs).toBeGreaterThan(Date.now())
    expect(refused?.nextAtMs).toBeLessThanOrEqual(Date.now() + 60_001)
  })

  test.each(['hang', 'refuse'] as const)('a store that %ss lets requests pass, costs at most 500 ms once, and is used again when it is back', async (fault) => {
    const clock = new TestClock()
    const limiter = makeLimiter(clock)
    mode = fault
    const startedAt = performance.now()
    expect((await limiter.limit(fault, 1)).allowed).toBe(true)
    expect(performance.now() - startedAt).toBeLessThan(500)
    asked = 0
    for (let request = 0; request < 50; request += 1) expect((await limiter.limit(fault, 1)).allowed).toBe(true)
    expect(asked).toBe(0)
    mode = 'pass'
    clock.advance(5_000)
    await limiter.limit(`${fault}-probe`, 1)
    await expect.poll(async () => (await limiter.limit(`${fault}-after`, 1)).allowed).toBe(false)
  })
})

function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => found(port))
    })
  })
}

/** One command over Redis's own protocol; an error reply is returned as an Error. */
function redisCommand(port: number, command: (string | number)[]): Promise<unknown> {
  return new Promise((answered, failed) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.once('error', failed)
    socket.on('data', (chunk) => {
      text += chunk
      const reply = parseReply(text)
      if (reply === undefined) return
      socket.end()
      answered(reply[0])
    })
    socket.write(`*${command.length}\r\n${command.map((part) => `$${Buffer.byteLength(String(part))}\r\n${part}\r\n`).join('')}`)
  })
}

/** The first reply in the text and what follows it, or undefined while it is not complete. */
function parseReply(text: string): [unknown, string] | undefined {
  const end = text.indexOf('\r\n')
  if (end < 0) return undefined
  const [kind, head, rest] = [text[0], text.slice(1, end), text.slice(end + 2)]
  if (kind === '+') return [head, rest]
  if (kind === '-') return [new Error(head), rest]
  if (kind === ':') return [Number(head), rest]
  const length = Number(head)
  if (kind === '$') return length < 0 ? [null, rest] : rest.length < length + 2 ? undefined : [rest.slice(0, length), rest.slice(length + 2)]
  let [values, left]: [unknown[], string] = [[], rest]
  for (let index = 0; index < length; index += 1) {
    const part = parseReply(left)
    if (!part) return undefined
    values = [...values, part[0]]
    left = part[1]
  }
  return [values, left]
}
