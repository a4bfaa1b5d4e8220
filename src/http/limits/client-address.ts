import { isIP } from 'node:net'
import { networkCheck } from '../../values/ip-address.ts'

/** What finds the address of the connected peer of a request, as the server of the runtime does. */
interface PeerFinder {
  requestIP(request: Request): { readonly address: string } | null
}

/** Returns the address of the client of a request that a server received. */
export type AddressOf = (request: Request, server: PeerFinder) => string

/** The addresses that only programs on this machine can reach. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1'])

/** The client address if a trusted proxy reports a client that is not an IP address. */
const UNKNOWN = 'unknown'
/** The maximum number of X-Forwarded-For hops that are read, from the end. */
const HOPS_MAX = 64
/** Headers that a proxy adds. A request with one of these headers was forwarded. */
const FORWARDING_FIELDS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
]

/**
 * Returns a function that finds the client address behind proxies. X-Forwarded-For is read only from a trusted peer,
 * starting at its end: the last address that is not a trusted proxy is the client. If all hops are trusted proxies, the
 * leftmost hop is the client. An address may have a port. If the search reaches a hop that is not an address, the
 * client is `unknown`, never the proxy that reported the hop.
 *
 * Without trusted proxies, the client is the peer. If the server listens on `host`, and this is 127.0.0.1 or ::1, every
 * peer is a program on this machine. The function then returns `host`, because asking for the peer of each request
 * takes a system call, a tenth of the time of a cached read.
 */
export function clientAddress(trusted: readonly string[], host?: string): AddressOf {
  if (trusted.length === 0) {
    return host !== undefined && LOOPBACK.has(host)
      ? () => host
      : (request, server) => peerOf(request, server)
  }
  const isProxy = networkCheck(trusted)
  return (request, server) => {
    const field = request.headers.get('x-forwarded-for')
    const hops = field === null ? [] : field.split(',').slice(-HOPS_MAX)
    let address = peerOf(request, server)
    while (isProxy(address)) {
      const hop = hops.pop()
      if (hop === undefined) break
      address = addressIn(hop) ?? UNKNOWN
    }
    return address
  }
}

/**
 * Returns the address of the connected peer of a request, an IPv4-mapped IPv6 address as an IPv4 address. Returns an
 * empty text if the connection is closed.
 */
export function peerOf(request: Request, server: PeerFinder): string {
  return withoutMapping(server.requestIP(request)?.address ?? '')
}

/**
 * Returns whether a request whose peer has this address comes directly from a program on this machine: not through a
 * proxy, and not from a page whose host name was made to lead to this machine (DNS rebinding), so the request must name
 * an IP address, `localhost`, or the host of the base address.
 */
export function isFromThisMachine({ headers }: Request, address: string, base: string): boolean {
  const isLoopback = address === '::1' || address.startsWith('127.')
  if (!isLoopback || FORWARDING_FIELDS.some(name => headers.has(name))) return false
  const host = URL.parse(`http://${headers.get('host')}`)?.hostname ?? ''
  const isAddress = isIP(host.replace(/^\[|\]$/g, '')) !== 0
  return isAddress || /^(.+\.)?localhost$/.test(host) || host === new URL(base).hostname
}

/** Returns the address in one hop: plain, in brackets, or with a port; undefined for anything else. */
function addressIn(hop: string): string | undefined {
  const text = hop.trim()
  if (isIP(text) !== 0) return withoutMapping(text)
  const [, ipv6 = '', ipv4 = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::[0-9]{1,5})?$/.exec(text) ?? []
  if (isIP(ipv6) === 6) return withoutMapping(ipv6)
  return isIP(ipv4) === 4 ? ipv4 : undefined
}

/** Returns an IPv4-mapped IPv6 address as an IPv4 address, and any other address unchanged. */
function withoutMapping(address: string): string {
  if (!address.startsWith('::')) return address
  const mapped = address.toLowerCase().startsWith('::ffff:') ? address.slice(7) : ''
  return isIP(mapped) === 4 ? mapped : address
}
