import pino from 'pino'

/** Structured log, one JSON object a line. Keys and secrets are removed wherever they may appear. */
export const log = pino({
  level: process.env.LOG_LEVEL ?? (process.env.NODE_ENV === 'test' ? 'silent' : 'info'),
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  redact: { paths: ['authorization', '*.authorization', 'secret', '*.secret', 'password', '*.password', 'key', '*.key'], censor: '[removed]' },
})
