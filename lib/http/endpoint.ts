import type { z } from 'zod'
import { sharedPool } from '@/db/client'
import { systemClock } from '../clock'
import type { KeyContext } from '../context'
import type { Contract, Input } from '../contract'
import { AppError } from '../errors'
import { authenticateKey } from '../keys/authenticate-key'
import { jsonAnswer } from './answer'
import { handle } from './handle'
import { parse, readBody, readIdempotencyKey, readQuery } from './read-input'
import type { Handler } from './resource'

/** In production the answer is already typed: a hot path is not validated twice. */
const CHECKS_ANSWERS = process.env.NODE_ENV !== 'production'

/**
 * A route of the external API: rate limit → key → module → scope → integration → input → verb, in that order, each
 * stopping the request. The contract declares all of it.
 */
export function endpoint<Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  contract: Contract<Q, B, A>,
  verb: (context: KeyContext, input: Input<Q, B>) => Promise<z.output<A>>,
): Handler {
  return (request) =>
    handle(request, `${contract.method} ${contract.path}`, contract.limitPerMinute, async ({ requestId, headers, noted }) => {
      if (contract.deprecated) {
        headers.set('Deprecation', `@${Math.floor(contract.deprecated.since.getTime() / 1000)}`)
        headers.set('Sunset', contract.deprecated.sunset.toUTCString())
      }
      const db = sharedPool()
      const { business, actor } = await authenticateKey(db, systemClock, bearer(request.headers))
      noted.business = business.slug
      noted.key_prefix = actor.prefix
      admit(contract, business, actor)
      const idempotencyKey = contract.idempotent ? readIdempotencyKey(request.headers) : undefined
      const query = contract.query ? parse(contract.query, readQuery(new URL(request.url).searchParams, contract.query)) : {}
      const body = contract.body ? parseBody(contract, await readBody(request)) : {}
      const input = { ...(query as object), ...(body as object), idempotencyKey } as Input<Q, B>
      const answer = await verb({ business, actor, db, clock: systemClock, requestId }, input)
      return jsonAnswer(200, CHECKS_ANSWERS ? contract.answer.parse(answer) : answer, headers)
    })
}

type AnyContract = Contract<z.ZodType, z.ZodType, z.ZodType>

function admit(contract: AnyContract, business: KeyContext['business'], actor: KeyContext['actor']): void {
  if (!business.moduleEnabled) {
    throw new AppError('MODULE_DISABLED', 'The business has not turned the external inventory module on. Ask it to.')
  }
  if (contract.scope && !actor.scopes.includes(contract.scope)) {
    throw new AppError('INSUFFICIENT_SCOPE', `This key lacks the scope ${contract.scope}. Ask the business for a key that has it.`)
  }
  if (contract.needsIntegration && !business.integration?.enabled) {
    throw new AppError('INTEGRATION_DISABLED', 'The business has turned the integration off, or never set it up: nothing may be written. Ask it to turn it on.')
  }
}

function parseBody<B extends z.ZodType>(contract: Contract<z.ZodType, B, z.ZodType>, body: object): z.output<B> {
  const breach = contract.precheck?.(body)
  if (breach) throw breach
  return parse(contract.body as B, body)
}

/** The token of a bearer header; the scheme's name is case-insensitive (RFC 9110). */
function bearer(headers: Headers): string | null {
  return /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null
}
