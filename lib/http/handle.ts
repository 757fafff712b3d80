import { randomUUID } from 'node:crypto'
import { AppError } from '../errors'
import { log } from '../log'
import { within } from '../within'
import { commonHeaders, errorAnswer } from './answer'
import { type RateLimiter, sharedRateLimiter, type Verdict } from './rate-limit'
import { sourceIp } from './source-ip'

/** A request that cannot be answered in this time is answered 500: the caller retries, nothing hangs. */
const DEADLINE_MS = 10_000

export interface Exchange {
  request: Request
  requestId: string
  headers: Headers
  /** Fields for the log line of this request. */
  noted: Record<string, unknown>
}

/** What every public API request goes through: id, rate limit, deadline, error body, log line. */
export async function handle(
  request: Request,
  route: string,
  limitPerMinute: number,
  work: (exchange: Exchange) => Promise<Response>,
  limiter: RateLimiter = sharedRateLimiter(),
): Promise<Response> {
  const startedAt = performance.now()
  const requestId = randomUUID()
  const headers = commonHeaders(requestId)
  const exchange: Exchange = { request, requestId, headers, noted: {} }
  let response: Response
  let fault: unknown
  try {
    const verdict = await limiter.limit(`${route}:${sourceIp(request.headers)}`, limitPerMinute)
    applyVerdict(verdict, headers)
    response = await within(DEADLINE_MS, work(exchange))
  } catch (error) {
    response = errorAnswer(error, requestId, headers)
    if (error instanceof AppError) exchange.noted.code = error.code
    else fault = error
    // What was not read of the body is not waited for.
    if (request.body && (!request.bodyUsed || bodyFailed(error))) response.headers.set('Connection', 'close')
  }
  const line = { request_id: requestId, route, status: response.status, duration_ms: Math.round((performance.now() - startedAt) * 10) / 10, ...exchange.noted }
  if (fault === undefined) log.info(line, 'request')
  else log.error({ ...line, err: fault }, 'request failed')
  return response
}

/** @throws AppError RATE_LIMITED, with `Retry-After` set on the headers (specification, Limits) */
function applyVerdict(verdict: Verdict, headers: Headers): void {
  if (!verdict.allowed) {
    const seconds = Math.max(1, Math.ceil((verdict.nextAtMs - Date.now()) / 1000))
    headers.set('Retry-After', String(seconds))
    throw new AppError('RATE_LIMITED', `More than ${verdict.limit} requests in a minute came from this address. Wait ${seconds} s, then retry.`)
  }
  headers.set('X-RateLimit-Limit', String(verdict.limit))
  headers.set('X-RateLimit-Remaining', String(verdict.remaining))
  headers.set('X-RateLimit-Reset', String(Math.ceil(verdict.resetAtMs / 1000)))
}

const bodyFailed = (error: unknown) => error instanceof AppError && error.details?.[0]?.field === 'body'
