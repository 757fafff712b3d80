import { isIP, type LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { Pool, request } from 'undici'
import { type CheckedTarget, checkTarget, RefusedAddress, type Resolve } from './address'
import { DELIVERY_TIMEOUT_MS, EXCERPT_BYTES } from './rules'

/** What came of one sending. `error` is for the business to read; null when the receiver answered 2xx. */
export interface SendOutcome {
  /** False when the fault is our own: it does not count as one of the event's attempts. */
  counts?: boolean
  ok: boolean
  status: number | null
  durationMs: number
  error: string | null
  excerpt: string | null
}

export interface SendOptions {
  allowLocal?: boolean
  resolve?: Resolve
  timeoutMs?: number
}

/** A success is told as soon as its status is in; for what else the receiver has to say it gets this long. */
const SUCCESS_EXCERPT_MS = 250

/**
 * Posts signed bytes to a webhook address, once. Never throws: whatever happens is an outcome. One deadline covers all of
 * it; redirects are not followed.
 */
export async function send(address: string, headers: Record<string, string>, body: string, options: SendOptions = {}): Promise<SendOutcome> {
  const timeoutMs = options.timeoutMs ?? DELIVERY_TIMEOUT_MS
  const startedAt = performance.now()
  const elapsedMs = () => performance.now() - startedAt
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), timeoutMs)
  const outcome = (change: Partial<SendOutcome>): SendOutcome => ({
    ok: false,
    status: null,
    error: null,
    excerpt: null,
    ...change,
    durationMs: Math.round(elapsedMs()),
  })
  try {
    const target = await orLate(checkTarget(address, options), deadline.signal)
    const response = await request(target.url, {
      method: 'POST',
      headers,
      body,
      dispatcher: poolFor(target),
      signal: deadline.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const status = response.statusCode
    const ok = status >= 200 && status < 300
    const excerpt = await readExcerpt(response.body, ok ? SUCCESS_EXCERPT_MS : timeoutMs - elapsedMs())
    return outcome({ ok, status, excerpt, error: ok ? null : statusInWords(status) })
  } catch (error) {
    return outcome({ error: deadline.signal.aborted ? `There was no answer within ${timeoutMs / 1000} seconds.` : inWords(error) })
  } finally {
    clearTimeout(timer)
  }
}

/** Name look-ups cannot be aborted: they are left behind instead. */
function orLate<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  return new Promise((done, failed) => {
    deadline.addEventListener('abort', () => failed(deadline.reason), { once: true })
    work.then(done, failed)
  })
}

const MAX_POOLS = 256
const pools = new Map<string, Pool>()

/**
 * Connections to one origin at its checked addresses. Kept open for a second, so that a busy receiver is not greeted anew for
 * every event; a name that leads elsewhere at the next attempt gets connections of its own.
 */
function poolFor({ url, addresses }: CheckedTarget): Pool {
  const key = `${url.origin} ${addresses.join(' ')}`
  const known = pools.get(key)
  pools.delete(key)
  const pool =
    known ??
    new Pool(url.origin, {
      connect: { lookup: only(addresses), autoSelectFamily: true, timeout: DELIVERY_TIMEOUT_MS },
      pipelining: 1,
      keepAliveTimeout: 1000,
      keepAliveMaxTimeout: 1000,
      maxHeaderSize: 16_384,
    })
  pools.set(key, pool)
  if (pools.size > MAX_POOLS) {
    const [oldest, old] = pools.entries().next().value ?? []
    if (oldest !== undefined) pools.delete(oldest)
    void old?.close()
  }
  return pool
}

/** Leads the connection to the addresses that were checked, whatever the name says now; TLS still asks for the name's certificate. */
function only(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, options, callback) => (options.all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family))
}

/** Lets go of every connection; for the end of the process. */
export async function closeConnections(): Promise<void> {
  const open = [...pools.values()]
  pools.clear()
  await Promise.all(open.map((pool) => pool.destroy()))
}

/** The beginning of the answer, as text without control characters. Stops at its end, the limit or after a time. */
async function readExcerpt(body: Readable, withinMs: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let length = 0
  await new Promise<void>((ended) => {
    const timer = setTimeout(ended, withinMs)
    const stop = () => {
      clearTimeout(timer)
      ended()
    }
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, Math.max(0, EXCERPT_BYTES - length)))
      length += chunk.length
      if (length >= EXCERPT_BYTES) stop()
    })
    for (const event of ['end', 'close', 'error']) body.on(event, stop)
  })
  // Whatever is still to come is not waited for; an answer that has ended leaves its connection for the next delivery.
  if (!body.readableEnded) body.destroy()
  if (length === 0) return null
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return new TextDecoder().decode(Buffer.concat(chunks)).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd')
}

function statusInWords(status: number): string {
  if (status >= 300 && status < 400) return `The receiver answered ${status}, a redirect. Redirects are not followed: set the final address.`
  if (status === 401 || status === 403) return `The receiver answered ${status}: it refused the delivery. Does it have the current signing secret?`
  if (status === 404 || status === 410) return `The receiver answered ${status}: there is nothing at this address. Was it moved?`
  return `The receiver answered ${status}, and only 2xx confirms an event.`
}

const CODES: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused: nothing listens there.',
  ECONNRESET: 'The receiver closed the connection before it answered.',
  UND_ERR_SOCKET: 'The receiver closed the connection before it answered.',
  EPIPE: 'The receiver closed the connection before it answered.',
  ENOTFOUND: 'The name of the receiver was not found.',
  ENODATA: 'The name of the receiver has no address.',
  ETIMEOUT: 'The name servers of the receiver did not answer.',
  ESERVFAIL: 'The name servers of the receiver failed.',
  EAI_AGAIN: 'The name of the receiver could not be looked up.',
  EHOSTUNREACH: 'The receiver cannot be reached.',
  ENETUNREACH: 'The receiver cannot be reached.',
  ETIMEDOUT: 'The connection was not made in time.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection was not made in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too large.',
  CERT_HAS_EXPIRED: 'The receiver’s TLS certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The receiver’s TLS certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The receiver’s TLS certificate is self-signed.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The receiver’s TLS certificate cannot be verified: its chain is incomplete.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The receiver’s TLS certificate is for another name.',
}

function inWords(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message
  const { code = '', name = '' } = error as { code?: string; name?: string }
  if (CODES[code]) return CODES[code]
  if (name === 'HTTPParserError' || code.startsWith('HPE_')) return 'The answer was not valid HTTP.'
  return `The delivery failed${code ? ` (${code})` : ''}.`
}
