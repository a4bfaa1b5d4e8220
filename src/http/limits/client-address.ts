import { BlockList, isIP } from 'node:net'

/** What finds the address of the connected peer of a request, as the server of the runtime does. */
export interface PeerFinder {
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
  const proxies = new BlockList()
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  const isProxy = (address: string): boolean =>
    isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
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

/** Returns whether a request whose peer has this address comes directly from a program on this machine, not a proxy. */
export function isFromThisMachine({ headers }: Request, address: string): boolean {
  const isLoopback = address === '::1' || address.startsWith('127.')
  return isLoopback && !FORWARDING_FIELDS.some(name => headers.has(name))
}

/**
 * Returns the group of addresses that shares one rate limit: one IPv4 address, or the /64 of an IPv6 address. One
 * subscriber has at least a whole /64 (RFC 6177).
 */
export function rateGroup(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const prefix = [...left, ...zeros, ...right].slice(0, 4)
  return `${prefix.map(group => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** Returns the address in one hop: plain, in brackets, or with a port; undefined for anything else. */
function addressIn(hop: string): string | undefined {
  const text = hop.trim()
  if (isIP(text) !== 0) return withoutMapping(text)
  const bracket = text.startsWith('[') ? text.indexOf(']') : -1
  const end = bracket > 0 ? bracket : text.indexOf(':')
  if (end < 0 || !isPortOrEmpty(text.slice(bracket > 0 ? end + 1 : end))) return undefined
  const address = text.slice(bracket > 0 ? 1 : 0, end)
  return isIP(address) === (bracket > 0 ? 6 : 4) ? withoutMapping(address) : undefined
}

/** Returns whether a text is a port, such as `:8080`, or empty. */
function isPortOrEmpty(text: string): boolean {
  return /^(?::[0-9]{1,5})?$/.test(text)
}

/** Returns an IPv4-mapped IPv6 address as an IPv4 address, and any other address unchanged. */
function withoutMapping(address: string): string {
  if (!address.startsWith('::')) return address
  const mapped = address.toLowerCase().startsWith('::ffff:') ? address.slice(7) : ''
  return isIP(mapped) === 4 ? mapped : address
}
