import { randomUUID } from 'node:crypto'
import { type ApiCall, apiRequest } from '@/lib/testing/shop'
import * as unknown from './[[...path]]/route'
import * as mapping from './catalog/mapping/route'
import * as catalog from './catalog/route'
import * as ack from './orders/ack/route'
import * as orders from './orders/route'
import * as ping from './ping/route'
import * as stock from './stock/route'

const ROUTES = { '/ping': ping, '/stock': stock, '/catalog': catalog, '/catalog/mapping': mapping, '/orders': orders, '/orders/ack': ack }

type Answer = { status: number; headers: Headers; body: any }

/** For tests: what the API answers to a call, `path` being relative to its base address. */
export async function callRoute(call: ApiCall): Promise<Answer> {
  const [path = ''] = call.path.split('?')
  const route: Record<string, (request: Request, route: unknown) => Promise<Response>> = ROUTES[path as keyof typeof ROUTES] ?? unknown
  const headers = call.method === 'PUT' ? { 'Idempotency-Key': randomUUID(), ...call.headers } : call.headers
  const response = await (route[call.method] as (typeof route)[string])(apiRequest({ ...call, headers, path: `/api/v1/external${call.path}` }), undefined)
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
}
