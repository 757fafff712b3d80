/** Every code of the specification (Errors), with the HTTP status it is answered with. */
export const ERROR_STATUS = {
  VALIDATION_FAILED: 400,
  IDEMPOTENCY_KEY_REQUIRED: 400,
  STOCK_IDEMPOTENCY_KEY_REQUIRED: 400,
  EXTERNAL_STOCK_TOO_MANY_ITEMS: 400,
  EXTERNAL_STOCK_ITEMS_REQUIRED: 400,
  BAD_REQUEST: 400,
  INVALID_API_KEY: 401,
  API_KEY_REVOKED: 401,
  UNAUTHORIZED: 401,
  MODULE_DISABLED: 403,
  INSUFFICIENT_SCOPE: 403,
  INTEGRATION_DISABLED: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  EXTERNAL_ID_TAKEN: 409,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** One failing field: a path such as `items.0.stock`, and what to do about it. */
export interface ErrorDetail {
  field: string
  issue: string
}

/** A failure that its reader can act on. Anything else that is thrown becomes INTERNAL_ERROR. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined

  constructor(code: ErrorCode, message: string, options: { details?: ErrorDetail[]; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.details = options.details
  }
}

/** Input that does not meet the format; `details` names every failing field. */
export function validationFailed(details: ErrorDetail[]): AppError {
  return new AppError('VALIDATION_FAILED', 'The request does not meet the format: see details.', { details })
}
