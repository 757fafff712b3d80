import { z } from 'zod'

const optional = z
  .string()
  .trim()
  .transform((value) => (value === '' ? undefined : value))
  .optional()

const address = (schemes: string[], example: string) =>
  optional.refine((value) => {
    if (value === undefined) return true
    return URL.canParse(value) && schemes.includes(new URL(value).protocol)
  }, `must be an address such as ${example}`)

const wholeNumber = (from: number, to: number, preset: number) =>
  optional
    .refine(
      (value) => value === undefined || (/^\d+$/.test(value) && Number(value) >= from && Number(value) <= to),
      `must be a whole number from ${from} to ${to}`,
    )
    .transform((value) => (value === undefined ? preset : Number(value)))

const flag = optional.refine((value) => value === undefined || value === '0' || value === '1', 'must be 1 or 0').transform((value) => value === '1')

const settings = z
  .object({
    DATABASE_URL: address(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/database'),
    APP_SECRET: optional.refine(
      (value) => value === undefined || value.length >= 32,
      'must have at least 32 characters: make one with "openssl rand -base64 32"',
    ),
    APP_URL: address(['http:', 'https:'], 'https://inventory.example.com'),
    PORT: wholeNumber(0, 65535, 3000),
    HOST: optional,
    DATA_DIR: optional.transform((value) => value ?? '.data'),
    TRUSTED_PROXY_HOPS: wholeNumber(0, 16, 0),
    UPSTASH_REDIS_REST_URL: address(['http:', 'https:'], 'https://your-database.upstash.io'),
    UPSTASH_REDIS_REST_TOKEN: optional,
    WEBHOOK_RETRY_SECONDS: optional.refine(
      (value) => value === undefined || value.split(',').every((seconds) => /^\d+(\.\d+)?$/.test(seconds) && Number(seconds) <= 2_592_000),
      'must be seconds separated by commas, each 30 days at most, such as 30,120,600,3600,21600',
    ),
    INNGEST_EVENT_KEY: optional,
    INNGEST_SIGNING_KEY: optional,
    INNGEST_DEV: optional,
    INNGEST_BASE_URL: address(['http:', 'https:'], 'https://inngest.example.com'),
    WEBHOOK_CONCURRENCY: wholeNumber(1, 500, 32),
    WEBHOOK_ALLOW_LOCAL: flag,
    WEBHOOK_ALLOW_LOCAL_IN_PRODUCTION: flag,
    LOG_LEVEL: optional.refine(
      (value) => value === undefined || ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].includes(value),
      'must be fatal, error, warn, info, debug, trace or silent',
    ),
  })
  .superRefine((value, context) => {
    if (value.DATABASE_URL && !value.APP_SECRET) {
      context.addIssue({
        code: 'custom',
        path: ['APP_SECRET'],
        message:
          'is needed with DATABASE_URL (it encrypts what is stored): set it to at least 32 random characters, the same for every process, such as the output of "openssl rand -base64 32"',
      })
    }
    if (value.WEBHOOK_ALLOW_LOCAL && value.DATABASE_URL && !value.WEBHOOK_ALLOW_LOCAL_IN_PRODUCTION) {
      context.addIssue({
        code: 'custom',
        path: ['WEBHOOK_ALLOW_LOCAL'],
        message:
          'is for local development: with a database of your own, webhooks to this machine would reach its internal services. Remove it, or confirm with WEBHOOK_ALLOW_LOCAL_IN_PRODUCTION=1',
      })
    }
    const development = value.INNGEST_DEV !== undefined && !['0', 'false'].includes(value.INNGEST_DEV)
    if (!development && Boolean(value.INNGEST_EVENT_KEY) !== Boolean(value.INNGEST_SIGNING_KEY)) {
      context.addIssue({
        code: 'custom',
        path: [value.INNGEST_EVENT_KEY ? 'INNGEST_SIGNING_KEY' : 'INNGEST_EVENT_KEY'],
        message: 'is missing: Inngest needs both its event key and its signing key',
      })
    }
    if (!development && value.INNGEST_BASE_URL && !value.INNGEST_EVENT_KEY) {
      context.addIssue({
        code: 'custom',
        path: ['INNGEST_EVENT_KEY'],
        message:
          'is missing: a self-hosted Inngest server needs INNGEST_EVENT_KEY and INNGEST_SIGNING_KEY, as it was started with (or INNGEST_DEV=1 for a dev server)',
      })
    }
    if (Boolean(value.UPSTASH_REDIS_REST_URL) !== Boolean(value.UPSTASH_REDIS_REST_TOKEN)) {
      const missing = value.UPSTASH_REDIS_REST_URL ? 'UPSTASH_REDIS_REST_TOKEN' : 'UPSTASH_REDIS_REST_URL'
      context.addIssue({ code: 'custom', path: [missing], message: 'is missing: the rate limiter needs both the address and the token, or neither' })
    }
  })

export type Settings = z.infer<typeof settings>

/** Settings that cannot be used. The message lists each with its remedy. */
export class SettingsError extends Error {}

/** Reads every setting from the environment, once, and says in words what is wrong. See `.env.example`. */
export function readSettings(environment: Record<string, string | undefined> = process.env): Settings {
  const result = settings.safeParse(environment)
  if (result.success) return result.data
  const lines = result.error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`)
  throw new SettingsError(`These settings need mending:\n${lines.join('\n')}`)
}
