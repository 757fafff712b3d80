import { isIPv6 } from 'node:net'

const FRONT = Symbol.for('external-inventory.front')

/** Said once by our own server, which writes the client's address over whatever the client claimed. */
export function trustForwardedFor(): void {
  ;(globalThis as { [FRONT]?: true })[FRONT] = true
}

/**
 * The address that a request is counted under. The client cannot choose it: on Vercel the platform's header counts,
 * behind our own server the one that it has overwritten. Anything else shares one count.
 */
export function sourceIp(headers: Headers): string {
  const trusted = process.env.VERCEL
    ? (headers.get('x-vercel-forwarded-for') ?? headers.get('x-real-ip'))
    : (globalThis as { [FRONT]?: true })[FRONT]
      ? headers.get('x-forwarded-for')
      : null
  return countedAddress(trusted?.split(',')[0]?.trim() || 'unknown')
}

/** One IPv6 customer holds a /64 at least, so all of it counts as one; a mapped address counts as the IPv4 it is. */
export function countedAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1]) return mapped[1]
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.toLowerCase().replace(/%.*/, '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - left.length - right.length)).fill('0')
  return `${[...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
