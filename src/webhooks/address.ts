import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { URL_CHARS_MAX } from '../shop/webhooks/schema.ts'
import { specialUse } from './special-addresses.ts'

const LOOKUP_MS_MAX = 5000
/** The maximum number of addresses of a host that one request tries. */
const ADDRESSES_MAX = 4

/** Resolves a host name to all its addresses, as IPv4 and IPv6 texts. */
export type Resolve = (host: string) => Promise<readonly string[]>

export interface AddressRules {
  /** Allows every address, for a store and receivers on one machine or in one closed network. */
  readonly allowPrivate: boolean
  readonly resolve: Resolve
}

/** A URL, and the only addresses to which its request may go, in the order in which they are tried. */
export interface Destination {
  readonly url: URL
  readonly addresses: readonly string[]
}

/** Thrown for a URL to which no request may be sent. The message is one sentence for the person who wrote the URL. */
export class AddressRefused extends Error {}

/** The host of the URL cannot be looked up now. That may change, unlike the other reasons. */
export class HostUnresolved extends AddressRefused {}

/**
 * Resolves a host name through the operating system. IPv4 addresses come first, because some machines have no IPv6.
 * Throws HostUnresolved after 5 seconds.
 */
export const resolveHost: Resolve = resolveWithin(LOOKUP_MS_MAX, async host => {
  const found = await lookup(host, { all: true, order: 'ipv4first' })
  return found.map(({ address }) => address)
})

/** Returns a resolver that calls `resolve`, and throws HostUnresolved after `timeoutMs`. */
export function resolveWithin(timeoutMs: number, resolve: Resolve): Resolve {
  return async host => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      late.reject(new HostUnresolved(`The host ${host} could not be resolved within ${timeoutMs} ms.`))
    }, timeoutMs)
    try {
      return await Promise.race([resolve(host), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

/**
 * Returns a URL with the first addresses of its host. The destination is valid for one immediate request. The next
 * request must resolve the host again, because DNS records change.
 *
 * Throws HostUnresolved if the host cannot be resolved, and AddressRefused if the URL is not valid. Unless
 * `allowPrivate` is set, it also throws AddressRefused if any address of the host is not public by the IANA
 * special-purpose registries (RFC 6890, https://www.iana.org/assignments/iana-ipv4-special-registry and
 * iana-ipv6-special-registry).
 */
export async function checkAddress(url: string, rules: AddressRules): Promise<Destination> {
  const parsed = parseUrl(url)
  const host = hostOf(parsed)
  const isLiteral = isIP(host) !== 0
  const addresses = isLiteral ? [host] : await lookUp(host, rules.resolve)
  for (const address of addresses) {
    const family = familyOf(host, address)
    const use = rules.allowPrivate ? undefined : specialUse(address, family)
    const place = isLiteral ? `The address ${host}` : `The host ${host} has the address ${address}, which`
    if (use !== undefined)
      throw new AddressRefused(
        `${place} is not on the public Internet (${use}); only --allow-private-webhooks permits it.`,
      )
  }
  if (addresses.length === 0) throw new HostUnresolved(`The host ${host} has no address.`)
  return { url: parsed, addresses: addresses.slice(0, ADDRESSES_MAX) }
}

/** Returns the host of a URL; an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/**
 * Returns the parsed URL. Throws AddressRefused if the URL is not valid. The text is checked before it is parsed,
 * because the parser of the URL standard silently repairs many of the errors that are refused here.
 */
function parseUrl(url: string): URL {
  const refuse = (why: string): never => {
    throw new AddressRefused(why)
  }
  if (url.length > URL_CHARS_MAX) refuse(`The URL is longer than ${URL_CHARS_MAX} characters.`)
  if (/[\p{Cc}\p{Z}\\]/u.test(url)) refuse('The URL contains whitespace, a control character or a backslash.')
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  if (authority === undefined) return refuse('The URL does not start with http:// or https://.')
  if (authority.includes('@')) refuse('The URL contains a user name or a password.')
  if (url.includes('#')) refuse('The URL contains a fragment (#).')
  const parsed = authority === '' ? null : URL.parse(url)
  if (!parsed || !isHost(parsed.hostname)) return refuse('The URL has no valid host and port.')
  if (parsed.port === '0') refuse(`The URL uses port 0 of ${parsed.hostname}, which accepts no connections.`)
  return parsed
}

/** Returns whether a host name can exist (RFC 1035, section 2.3.4). The parser of URLs also accepts longer ones. */
function isHost(name: string): boolean {
  const labels = name.replace(/\.$/, '').split('.')
  return name.length <= 254 && labels.every(label => label.length > 0 && label.length <= 63)
}

async function lookUp(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(host)
  } catch (error) {
    if (error instanceof AddressRefused) throw error
    throw new HostUnresolved(`The host ${host} could not be resolved.`, { cause: error })
  }
}

/**
 * Returns the family of an address. Throws AddressRefused for a text that is not an IP address, and for an address
 * with a zone id (RFC 4007), which names an interface of this machine.
 */
function familyOf(host: string, address: string): 4 | 6 {
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 4 || family === 6) return family
  throw new AddressRefused(
    `The host ${host} was resolved to ${JSON.stringify(address)}, which is not an IP address.`,
  )
}
