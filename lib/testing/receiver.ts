import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  headers: Record<string, string>
  /** The raw bytes. */
  body: string
  at: number
}

type Answer = (received: Received, response: ServerResponse) => void

/** A real receiver on this machine that records what it gets and answers as it is told. */
export async function startReceiver() {
  const received: Received[] = []
  let answer: Answer = (_, response) => response.writeHead(204).end()
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const one = { headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() }
    received.push(one)
    answer(one, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    /** Ids of the events received, in order of arrival. */
    ids: () => received.map(({ headers }) => headers['x-service-event-id']),
    answerWith(next: number | Answer) {
      answer = typeof next === 'number' ? (_, response) => response.writeHead(next).end() : next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
