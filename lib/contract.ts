import type { z } from 'zod'
import type { Scope } from './context'
import type { AppError } from './errors'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What one endpoint takes and answers. The route, the checks and the published description are made from it. */
export interface Contract<Query extends z.ZodType, Body extends z.ZodType, Answer extends z.ZodType> {
  method: Method
  /** Below `/api/v1/external`. */
  path: string
  summary: string
  /** Null: any valid key will do. */
  scope: Scope | null
  /** Requests a minute and source IP. */
  limitPerMinute: number
  /** Refused when the business has no enabled integration. */
  needsIntegration?: boolean
  /** Takes the `Idempotency-Key` header, as `idempotencyKey` of the input. */
  idempotent?: boolean
  query?: Query
  body?: Body
  /** A breach that has a code of its own, looked for before the format is checked. */
  precheck?: (body: object) => AppError | null
  answer: Answer
  /** Answered with `Deprecation` and `Sunset` from then on (specification, Versioning). */
  deprecated?: { since: Date; sunset: Date }
}

export type Input<Query extends z.ZodType, Body extends z.ZodType> = z.output<Query> & z.output<Body> & { idempotencyKey?: string }

export const defineContract = <Query extends z.ZodType, Body extends z.ZodType, Answer extends z.ZodType>(contract: Contract<Query, Body, Answer>) => contract
