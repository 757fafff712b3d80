import { createServer as createHttpsServer } from 'node:https'
import { createServer, type Server } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expiredCertificate } from '../testing/expired-certificate'
import { type Receiver, startReceiver } from '../testing/receiver'
import { closeConnections, send } from './send'

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver[Symbol.asyncDispose]())
afterAll(closeConnections)

const post = (url = receiver.url, timeoutMs = 600) => send(url, { 'content-type': 'application/json' }, '{"a":1}', { allowLocal: true, timeoutMs })

describe('what the receiver answers', () => {
  test.each([200, 201, 204, 299])('%i confirms', async (status) => {
    receiver.answerWith(status)
    expect(await post()).toMatchObject({ ok: true, status, error: null })
    expect(receiver.received[0]?.body).toBe('{"a":1}')
  })

  test.each([400, 401, 404, 410, 429, 500, 503])('%i fails, with its status in words', async (status) => {
    receiver.answerWith(status)
    expect(await post()).toMatchObject({ ok: false, status, error: expect.stringContaining(String(status)) })
  })

  test('a redirect is not followed', async () => {
    receiver.answerWith((_, response) => response.writeHead(301, { Location: 'http://127.0.0.1:1/private' }).end())
    expect(await post()).toMatchObject({ ok: false, status: 301, error: expect.stringContaining('not followed') })
    expect(receiver.received).toHaveLength(1)
  })

  test('ten megabytes and a stream without end cost 4 KiB and no longer than the deadline', async () => {
    receiver.answerWith((_, response) => void response.writeHead(500).end('x'.repeat(10_000_000)))
    expect((await post()).excerpt).toHaveLength(4096)
    receiver.answerWith((_, response) => {
      response.writeHead(500)
      const endless = setInterval(() => response.write('y'.repeat(64)), 1)
      response.on('close', () => clearInterval(endless))
    })
    const outcome = await post()
    expect(outcome.status).toBe(500)
    expect(outcome.durationMs).toBeLessThan(900)
  })

  test('control characters do not reach the log', async () => {
    receiver.answerWith((_, response) => void response.writeHead(500).end('a\u0000b\u001b[31mc'))
    expect((await post()).excerpt).toBe('a�b�[31mc')
  })

  test('a success counts as soon as its status is in, though the body never ends', async () => {
    receiver.answerWith((_, response) => void response.writeHead(200).write('ok'))
    const outcome = await post()
    expect(outcome).toMatchObject({ ok: true, excerpt: 'ok' })
    expect(outcome.durationMs).toBeLessThan(500)
  })

  test('no answer, and one byte at a time, end at the deadline', async () => {
    receiver.answerWith(() => {})
    expect(await post()).toMatchObject({ ok: false, status: null, error: 'There was no answer within 0.6 seconds.' })
    receiver.answerWith((_, response) => {
      const drip = setInterval(() => response.socket?.write('H'), 50)
      response.on('close', () => clearInterval(drip))
    })
    const outcome = await post()
    expect(outcome.ok).toBe(false)
    expect(outcome.durationMs).toBeLessThan(900)
  })

  test('a connection closed early is a failure, sent once and not again in secret', async () => {
    receiver.answerWith((_, response) => response.socket?.destroy())
    expect(await post()).toMatchObject({ ok: false, error: expect.stringContaining('closed the connection') })
    expect(receiver.received).toHaveLength(1)
  })
})

describe('what is not HTTP', () => {
  let server: Server
  let url: string
  beforeAll(async () => {
    server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('\u0001\u0002 garbage\r\n\r\n'))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`
  })
  afterAll(() => void server.close())

  test('garbage is told as such', async () => {
    expect(await post(url)).toMatchObject({ ok: false, error: 'The answer was not valid HTTP.' })
  })

  test('nothing listening, and an address that is not public, are told as such', async () => {
    expect(await post('http://127.0.0.1:1025/')).toMatchObject({ ok: false, error: expect.stringContaining('refused') })
    expect(await post('https://10.0.0.1/')).toMatchObject({ ok: false, error: expect.stringContaining('only public addresses are called') })
  })
})

test('a receiver whose TLS certificate has run out gets nothing', async () => {
  let asked = 0
  const server = createHttpsServer(expiredCertificate, (_, response) => {
    asked += 1
    response.end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  expect(await post(`https://127.0.0.1:${(server.address() as { port: number }).port}/`)).toMatchObject({
    ok: false,
    error: expect.stringContaining('certificate'),
  })
  expect(asked).toBe(0)
  server.close()
})

test('the connection goes to the address that was checked, whatever the name says a moment later', async () => {
  const answers = [['127.0.0.1'], ['169.254.169.254']]
  const resolve = async () => answers.shift() ?? []
  const { port } = new URL(receiver.url)
  expect(await send(`http://rebinding.example:${port}/`, {}, '{}', { allowLocal: true, resolve, timeoutMs: 600 })).toMatchObject({ ok: true })
  expect(receiver.received[0]?.headers.host).toBe(`rebinding.example:${port}`)
  expect(await send(`http://rebinding.example:${port}/`, {}, '{}', { allowLocal: true, resolve, timeoutMs: 600 })).toMatchObject({
    ok: false,
    error: expect.stringContaining('169.254.169.254'),
  })
  expect(receiver.received).toHaveLength(1)
})

test('a name that is never resolved ends at the deadline', async () => {
  const outcome = await send('https://slow.example/', {}, '{}', { resolve: () => new Promise(() => {}), timeoutMs: 200 })
  expect(outcome).toMatchObject({ ok: false, error: 'There was no answer within 0.2 seconds.' })
})
