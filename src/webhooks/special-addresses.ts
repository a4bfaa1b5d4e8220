/** A block of addresses and its registered use. */
export interface SpecialNetwork {
  readonly network: string
  readonly bits: number
  readonly use: string
}

function network(prefix: string, bits: number, use: string): SpecialNetwork {
  return { network: prefix, bits, use }
}

/**
 * The IANA IPv4 Special-Purpose Address Registry (RFC 6890), including networks that it calls globally reachable, plus
 * multicast (RFC 5771) and a public address that Azure reserves for itself. The first match determines the use in the
 * message, so a network comes before a larger one that contains it.
 */
export const specialIpv4: readonly SpecialNetwork[] = [
  network('0.0.0.0', 8, 'this host on this network'),
  network('10.0.0.0', 8, 'private use'),
  network('100.64.0.0', 10, 'shared address space of a carrier'),
  network('127.0.0.0', 8, 'loopback'),
  network('169.254.0.0', 16, 'link-local'),
  network('172.16.0.0', 12, 'private use'),
  network('192.0.0.0', 24, 'protocol assignments'),
  network('192.0.2.0', 24, 'documentation'),
  network('192.31.196.0', 24, 'AS112'),
  network('192.52.193.0', 24, 'AMT relays'),
  network('192.88.99.0', 24, '6to4 relays'),
  network('192.168.0.0', 16, 'private use'),
  network('192.175.48.0', 24, 'AS112'),
  network('198.18.0.0', 15, 'benchmarking'),
  network('198.51.100.0', 24, 'documentation'),
  network('203.0.113.0', 24, 'documentation'),
  network('224.0.0.0', 4, 'multicast'),
  network('255.255.255.255', 32, 'broadcast'),
  network('240.0.0.0', 4, 'reserved'),
  network('168.63.129.16', 32, 'the Azure host platform'),
]

/** The space that IANA allocates for global unicast (the IPv6 Address Space registry). */
export const globalIpv6: SpecialNetwork = network('2000::', 3, 'global unicast')

/** The entries of the IANA IPv6 Special-Purpose Address Registry (RFC 6890) within global unicast. */
export const specialIpv6: readonly SpecialNetwork[] = [
  network('2001::', 32, 'Teredo, an embedded IPv4 address'),
  network('2001::', 23, 'protocol assignments'),
  network('2001:db8::', 32, 'documentation'),
  network('2002::', 16, '6to4, an embedded IPv4 address'),
  network('2620:4f:8000::', 48, 'AS112'),
  network('3fff::', 20, 'documentation'),
]
