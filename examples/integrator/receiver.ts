import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OrderEvent } from './book'

const TOLERANCE_S = 5 * 60

/** Whether a delivery is the service's own and fresh (specification, Receiver rules 1 and 2). `rawBody` is what was received, byte for byte. */
export function isGenuine(headers: Record<string, string | string[] | undefined>, rawBody: Buffer, secret: string): boolean {
  const timestamp = String(headers['x-service-timestamp'] ?? '')
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_S) return false
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex')}`)
  const given = Buffer.from(String(headers['x-service-signature'] ?? ''))
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** A webhook receiver: 401 for what is not genuine, else 2xx at once, and the work afterwards. */
export async function startReceiver(secret: () => string, onEvent: (event: OrderEvent) => void): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const rawBody = Buffer.concat(chunks)
    if (!isGenuine(request.headers, rawBody, secret())) return void response.writeHead(401).end()
    response.writeHead(204).end()
    onEvent(JSON.parse(rawBody.toString('utf8')))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`, server }
}
