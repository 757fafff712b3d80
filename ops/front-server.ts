import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { AppError } from '@/lib/errors'
import { commonHeaders, errorAnswer } from '@/lib/http/answer'

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown

/** What Next hands to a route. It answers other methods, and paths that cannot be decoded, with pages of its own. */
const ROUTED_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * The server that the network reaches. It writes the client's address over whatever forwarding headers the client
 * sent, so that nobody chooses the address they are counted under; only the entry that the nearest `trustedHops`
 * proxies vouch for is believed.
 */
export function frontServer(trustedHops: number, current: () => RequestHandler): Server {
  const server = createServer((request, response) => {
    const { headers } = request
    const address = clientAddress(request, trustedHops)
    if (trustedHops === 0) {
      headers['x-forwarded-proto'] = 'http'
      headers['x-forwarded-host'] = headers.host
      delete headers.forwarded
    }
    headers['x-forwarded-for'] = address
    headers['x-real-ip'] = address
    const refusal = refuseUnroutable(request)
    if (refusal) void send(refusal, response)
    else current()(request, response)
  })
  server.keepAliveTimeout = 65_000
  server.requestTimeout = 60_000
  return server
}

function clientAddress(request: IncomingMessage, trustedHops: number): string {
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',')
  const entry = trustedHops > 0 ? forwarded.at(-trustedHops)?.trim() : undefined
  return entry || request.socket.remoteAddress || 'unknown'
}

/** The API's answer to a request that would never reach its routes, or null. */
function refuseUnroutable({ method = '', url = '' }: IncomingMessage): Response | null {
  const [path = ''] = url.split('?')
  if (!path.startsWith('/api/v1/')) return null
  const requestId = randomUUID()
  if (!ROUTED_METHODS.has(method)) {
    const headers = commonHeaders(requestId)
    headers.set('Allow', [...ROUTED_METHODS].join(', '))
    return errorAnswer(new AppError('BAD_REQUEST', `No path here takes ${method}.`), requestId, headers, 405)
  }
  try {
    decodeURIComponent(path)
    return null
  } catch {
    return errorAnswer(new AppError('NOT_FOUND', 'There is no such path: it is not valid percent-encoding.'), requestId)
  }
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
}
