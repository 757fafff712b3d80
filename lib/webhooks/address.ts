import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** An address that is never called. The message says why, for the business that set it. */
export class RefusedAddress extends Error {}

export interface CheckedTarget {
  url: URL
  /** Every one of them may be called; the connection goes to one of these and to nothing else. */
  addresses: string[]
}

/** Finds the addresses of a name. Tests hand in one that changes its mind. */
export type Resolve = (hostname: string) => Promise<string[]>

/** A name server that does not answer is given up well before the delivery's own deadline. */
const RESOLVE_TIMEOUT_MS = 3000

/**
 * Asks the name servers directly. The system's own look-up works in two threads for the whole process: one zone that never
 * answers would hold up the names of every other business.
 */
const systemResolve: Resolve = async (hostname) => {
  if (hostname === 'localhost') return ['127.0.0.1']
  const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: 2 })
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  return [four, six].flatMap((found) => (found.status === 'fulfilled' ? found.value : []))
}

/** `WEBHOOK_ALLOW_LOCAL=1`: http receivers on this machine's loopback are called too. Everything else private stays refused. */
export const localAllowed = (): boolean =>
  process.env.WEBHOOK_ALLOW_LOCAL === '1' && (process.env.NODE_ENV !== 'production' || process.env.WEBHOOK_ALLOW_LOCAL_IN_PRODUCTION === '1')

/**
 * The form of a webhook address: https, port 443 or from 1024, no credentials.
 * @throws RefusedAddress
 */
export function parseWebhookUrl(text: string, allowLocal = localAllowed()): URL {
  if (!URL.canParse(text)) throw new RefusedAddress('It is no address. Give one such as https://erp.example.com/webhooks.')
  const url = new URL(text)
  const local = allowLocal && url.protocol === 'http:'
  if (url.protocol !== 'https:' && !local) throw new RefusedAddress('Only https addresses are called, so that nobody reads along.')
  if (url.username || url.password) throw new RefusedAddress('The address must not hold a user name or password: deliveries are signed instead.')
  const port = Number(url.port || (local ? 80 : 443))
  if (port < 1024 && port !== (local ? 80 : 443)) throw new RefusedAddress(`Port ${port} is not called: use 443, or one from 1024.`)
  return url
}

/**
 * Checks where an address leads, now: every address of its name must be public.
 * @throws RefusedAddress, or the resolver's error when the name is not found
 */
export async function checkTarget(text: string, options: { allowLocal?: boolean; resolve?: Resolve } = {}): Promise<CheckedTarget> {
  const allowLocal = options.allowLocal ?? localAllowed()
  const url = parseWebhookUrl(text, allowLocal)
  // The URL parser has brought 2130706433, 0x7f.1 and their like to the dotted form by now.
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(hostname) ? [hostname] : await (options.resolve ?? systemResolve)(hostname)
  if (addresses.length === 0) throw new RefusedAddress(`The name ${hostname} has no address.`)
  for (const address of addresses) {
    if (allowLocal && isLoopback(address)) continue
    if (url.protocol === 'http:') throw new RefusedAddress(`${address} is not this machine's loopback: other addresses must be https.`)
    const reason = refusalOf(address)
    if (reason)
      throw new RefusedAddress(`${hostname === address ? address : `${hostname} leads to ${address}, which`} ${reason}: only public addresses are called.`)
  }
  return { url, addresses }
}

const isLoopback = (address: string) => ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback'

/** Why an address is not public, or null when it is. What is not surely public is refused. */
export function refusalOf(address: string): string | null {
  if (!ipaddr.isValid(address)) return 'is no IP address'
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  // Of IPv6 only 2000::/3 has been given out for public use; what lies outside is mapped, local or reserved.
  const outside = parsed instanceof ipaddr.IPv6 && !parsed.match(ipaddr.IPv6.parse('2000::'), 3)
  if (range !== 'unicast' || outside) return `is ${WORDS[range] ?? 'reserved'}`
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return own.some((one) => ipaddr.isValid(one.address) && ipaddr.parse(one.address).toNormalizedString() === parsed.toNormalizedString())
    ? 'is an address of this machine'
    : null
}

const WORDS: Partial<Record<string, string>> = {
  private: 'private',
  loopback: 'a loopback address',
  linkLocal: 'link-local',
  uniqueLocal: 'private',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
  unspecified: 'unspecified',
  carrierGradeNat: 'shared by a carrier',
  ipv4Mapped: 'a mapped IPv4 address',
  rfc6052: 'a NAT64 address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
}
