import pino from 'pino'

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** `LOG_LEVEL`, where it is one; what is wrong with it is said when the settings are read. */
const level = LEVELS.find((name) => name === process.env.LOG_LEVEL) ?? (process.env.NODE_ENV === 'test' ? 'silent' : 'info')

/**
 * An error by its root cause. The layers above it are left out: those of the database carry the parameters of the
 * statement, and with them what customers entrusted to us.
 */
function rootCause(error: unknown): unknown {
  let cause = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  if (!(cause instanceof Error)) return { message: String(cause) }
  return { type: cause.name, code: (cause as { code?: unknown }).code, message: cause.message, stack: cause.stack }
}

/** Structured log, one JSON object a line. Keys and secrets are removed wherever they may appear. */
export const log = pino({
  level,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  serializers: { err: rootCause },
  redact: { paths: ['authorization', '*.authorization', 'secret', '*.secret', 'password', '*.password', 'key', '*.key'], censor: '[removed]' },
})
