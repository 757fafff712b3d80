import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown

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
    current()(request, response)
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
