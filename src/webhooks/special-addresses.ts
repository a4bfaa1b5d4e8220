import { ipv6Groups, networkCheck } from '../values/ip-address.ts'

/** A use of addresses, and its networks, separated by blanks. */
type SpecialUse = readonly [use: string, networks: string]

/**
 * The IANA IPv4 Special-Purpose Address Registry (RFC 6890), including networks that it calls globally reachable, plus
 * multicast (RFC 5771) and a public address that Azure reserves for itself. The first match determines the use in the
 * message, so a network comes before a larger one that contains it.
 */
const specialIpv4: readonly SpecialUse[] = [
  ['this host on this network', '0.0.0.0/8'],
  ['private use', '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16'],
  ['shared address space of a carrier', '100.64.0.0/10'],
  ['loopback', '127.0.0.0/8'],
  ['link-local', '169.254.0.0/16'],
  ['protocol assignments', '192.0.0.0/24'],
  ['documentation', '192.0.2.0/24 198.51.100.0/24 203.0.113.0/24'],
  ['AS112', '192.31.196.0/24 192.175.48.0/24'],
  ['AMT relays', '192.52.193.0/24'],
  ['6to4 relays', '192.88.99.0/24'],
  ['benchmarking', '198.18.0.0/15'],
  ['multicast', '224.0.0.0/4'],
  ['broadcast', '255.255.255.255/32'],
  ['reserved', '240.0.0.0/4'],
  ['the Azure host platform', '168.63.129.16/32'],
]

/** The space that IANA allocates for global unicast (the IPv6 Address Space registry). */
const isGlobalIpv6 = networkCheck(['2000::/3'])

/** The entries of the IANA IPv6 Special-Purpose Address Registry (RFC 6890) within global unicast. */
const specialIpv6: readonly SpecialUse[] = [
  ['Teredo, an embedded IPv4 address', '2001::/32'],
  ['protocol assignments', '2001::/23'],
  ['documentation', '2001:db8::/32 3fff::/20'],
  ['6to4, an embedded IPv4 address', '2002::/16'],
  ['AS112', '2620:4f:8000::/48'],
]

const ipv4Use = useFinder(specialIpv4)
const ipv6Use = useFinder(specialIpv6)
const ISATAP = 0x5efe

/** Returns the registered use of an address that is not public; undefined for a public one. */
export function specialUse(address: string, family: 4 | 6): string | undefined {
  if (family === 4) return ipv4Use(address)
  // IPv4-mapped, IPv4-compatible and NAT64 addresses are outside global unicast, like loopback and ULAs.
  if (!isGlobalIpv6(address)) return 'outside global unicast'
  return isIsatap(address) ? 'ISATAP, an embedded IPv4 address' : ipv6Use(address)
}

function useFinder(uses: readonly SpecialUse[]): (address: string) => string | undefined {
  const checks = uses.map(([use, networks]) => ({ use, contains: networkCheck(networks.split(' ')) }))
  return address => checks.find(({ contains }) => contains(address))?.use
}

/**
 * Returns whether an IPv6 address is an ISATAP address (RFC 5214, section 6.1): its interface id is 0000:5efe, followed
 * by an IPv4 address. The u and g bits of the interface id (0300) may be set.
 */
function isIsatap(address: string): boolean {
  const [, , , , flags = '', marker = ''] = ipv6Groups(address)
  return Number.parseInt(marker, 16) === ISATAP && (Number.parseInt(flags, 16) & ~0x0300) === 0
}
