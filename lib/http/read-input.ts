import { z } from 'zod'
import { AppError, type ErrorDetail, validationFailed } from '../errors'

const MAX_BODY_BYTES = 1024 * 1024
const MAX_DETAILS = 100
const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{8,100}$/

/** The value that `schema` makes of `value`. @throws AppError VALIDATION_FAILED naming every failing field */
export function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw validationFailed(result.error.issues.slice(0, MAX_DETAILS).map((issue) => ({ field: issue.path.join('.') || 'body', issue: issue.message })))
}

/** @throws AppError IDEMPOTENCY_KEY_REQUIRED without the header, VALIDATION_FAILED when its shape is wrong */
export function readIdempotencyKey(headers: Headers): string {
  const key = headers.get('idempotency-key')
  if (!key) {
    throw new AppError('IDEMPOTENCY_KEY_REQUIRED', 'Send the header Idempotency-Key: one value for each batch, the same again when the batch is retried.')
  }
  if (!IDEMPOTENCY_KEY.test(key)) throw validationFailed([{ field: 'Idempotency-Key', issue: 'must be 8 to 100 of the characters A-Z a-z 0-9 . _ : -' }])
  return key
}

/** The query parameters that `schema` knows. @throws AppError VALIDATION_FAILED for one that is given twice */
export function readQuery(search: URLSearchParams, schema: z.ZodType): Record<string, string> {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const repeated = known.filter((name) => search.getAll(name).length > 1)
  if (repeated.length > 0) throw validationFailed(repeated.map((field) => ({ field, issue: 'must be given once' })))
  return Object.fromEntries(search)
}

/** The JSON object in the body. @throws AppError VALIDATION_FAILED, field `body` */
export async function readBody(request: Request): Promise<object> {
  const bytes = await readBytes(request)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw bodyFailed(bytes.length === 0 ? 'is missing: send a JSON object' : 'must be JSON in UTF-8')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bodyFailed('must be a JSON object')
  return value
}

/** Well before the request's own deadline, so that a body that stalls is told as such. */
const BODY_TIMEOUT_MS = 8000

/** Reads no further than the limit, whatever length was announced. */
async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw bodyTooLarge()
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = request.body?.getReader()
  let late = false
  const timer = setTimeout(() => {
    late = true
    void reader?.cancel().catch(() => {})
  }, BODY_TIMEOUT_MS)
  for (;;) {
    const chunk = await reader?.read().catch(() => {
      clearTimeout(timer)
      throw bodyFailed('ended before it was complete')
    })
    if (late) throw bodyFailed(`did not arrive within ${BODY_TIMEOUT_MS / 1000} seconds`)
    if (!chunk || chunk.done) {
      clearTimeout(timer)
      return Buffer.concat(chunks)
    }
    length += chunk.value.byteLength
    if (length > MAX_BODY_BYTES) {
      clearTimeout(timer)
      void reader?.cancel().catch(() => {})
      throw bodyTooLarge()
    }
    chunks.push(chunk.value)
  }
}

const bodyFailed = (issue: string): AppError => validationFailed([{ field: 'body', issue } satisfies ErrorDetail])
const bodyTooLarge = () => bodyFailed(`must be at most ${MAX_BODY_BYTES} bytes: send fewer items at a time`)
