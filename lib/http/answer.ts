import { AppError, ERROR_STATUS, type ErrorCode, type ErrorDetail } from '../errors'

export interface ErrorBody {
  error: { code: ErrorCode; message: string; details?: ErrorDetail[] }
  request_id: string
}

/** Headers of every answer of the public APIs. */
export const commonHeaders = (requestId: string) => new Headers({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'X-Request-Id': requestId })

export const jsonAnswer = (status: number, body: unknown, headers: Headers) => new Response(JSON.stringify(body), { status, headers })

/** The error body of the specification (Errors). Whatever is not an AppError says nothing of its cause. */
export function errorAnswer(error: unknown, requestId: string, headers = commonHeaders(requestId), status?: number): Response {
  const known =
    error instanceof AppError
      ? error
      : new AppError('INTERNAL_ERROR', 'Something went wrong on our side. Retry with back-off, and quote the request id if it lasts.')
  if (ERROR_STATUS[known.code] === 401) headers.set('WWW-Authenticate', 'Bearer')
  const body: ErrorBody = {
    error: { code: known.code, message: known.message, ...(known.details ? { details: known.details } : {}) },
    request_id: requestId,
  }
  return jsonAnswer(status ?? ERROR_STATUS[known.code], body, headers)
}
