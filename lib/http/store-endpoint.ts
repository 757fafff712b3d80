import type { z } from 'zod'
import { sharedPool } from '@/db/client'
import { findBusiness } from '../businesses/queries'
import { SLUG } from '../businesses/rules'
import { systemClock } from '../clock'
import type { Context } from '../context'
import { AppError } from '../errors'
import { jsonAnswer } from './answer'
import { handle } from './handle'
import { parse, readBody, readQuery } from './read-input'
import type { Handler } from './resource'

interface StoreRoute<Input extends z.ZodType> {
  name: string
  limitPerMinute: number
  /** Where the input is: the query of a reading request, the body of an ordering one. */
  from: 'query' | 'body'
  input: Input
}

/** A route of an online store's public API: rate limit → store → input → verb. The store must be switched on. */
export function storeEndpoint<Input extends z.ZodType>(
  route: StoreRoute<Input>,
  verb: (context: Context, input: z.output<Input>) => Promise<{ status: number; body: unknown }>,
): Handler<{ params: Promise<{ slug: string }> }> {
  return (request, { params }) =>
    handle(request, `store ${route.name}`, route.limitPerMinute, async ({ requestId, headers, noted }) => {
      const { slug } = await params
      const db = sharedPool()
      const business = SLUG.test(slug) ? await findBusiness(db, slug) : null
      if (!business?.storeEnabled) throw new AppError('NOT_FOUND', 'There is no such store, or it is closed.')
      noted.business = business.slug
      const raw = route.from === 'query' ? readQuery(new URL(request.url).searchParams, route.input) : await readBody(request)
      const { status, body } = await verb({ business, actor: { kind: 'shopper' }, db, clock: systemClock, requestId }, parse(route.input, raw))
      return jsonAnswer(status, body, headers)
    })
}
