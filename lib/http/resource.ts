import { randomUUID } from 'node:crypto'
import type { Method } from '../contract'
import { AppError } from '../errors'
import { commonHeaders, errorAnswer } from './answer'

/** What Next calls: the request, and the parts of the path that the folder names in brackets. */
export type Handler<Route = unknown> = (request: Request, route: Route) => Promise<Response>

type RouteMethods<Route> = Record<Method | 'HEAD' | 'OPTIONS', Handler<Route>>

/** The methods of one path. Every other method is 405 with `Allow` and the error body. */
export function resource<Route = unknown>(handlers: Partial<Record<Method, Handler<Route>>>): RouteMethods<Route> {
  const known = { ...handlers, ...(handlers.GET ? { HEAD: handlers.GET } : {}) }
  const allow = Object.keys(known).sort().join(', ')
  return everyMethod(known, (request, requestId, headers) => {
    headers.set('Allow', allow)
    return errorAnswer(new AppError('BAD_REQUEST', `This path does not take ${request.method}. It takes ${allow}.`), requestId, headers, 405)
  })
}

/** Every method of a path that does not exist: 404 with the error body. */
export const unknownPath = (): RouteMethods<unknown> =>
  everyMethod({}, (_, requestId, headers) =>
    errorAnswer(new AppError('NOT_FOUND', 'There is no such path. Paths of the API begin with /api/v1/external.'), requestId, headers),
  )

function everyMethod<Route>(
  known: Partial<RouteMethods<Route>>,
  refuse: (request: Request, requestId: string, headers: Headers) => Response,
): RouteMethods<Route> {
  const refused: Handler<Route> = async (request) => {
    const requestId = randomUUID()
    return refuse(request, requestId, commonHeaders(requestId))
  }
  return { GET: refused, POST: refused, PUT: refused, PATCH: refused, DELETE: refused, HEAD: refused, OPTIONS: refused, ...known }
}
