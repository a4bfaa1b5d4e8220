import { BlockList, isIP } from 'node:net'

/** Returns a function that checks whether an address is in a list of addresses and networks, such as `10.0.0.0/8`. */
export function networkCheck(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return address => isIP(address) !== 0 && list.check(address, familyOf(address))
}

/**
 * Returns the group of addresses that shares one limit: one IPv4 address, or the /64 of an IPv6 address. One subscriber
 * has at least a whole /64 (RFC 6177). Returns a text without a colon unchanged.
 */
export function rateGroup(address: string): string {
  if (!address.includes(':')) return address
  const prefix = ipv6Groups(address).slice(0, 4)
  return `${prefix.map(group => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** Returns the eight groups of an IPv6 address, in hexadecimal digits. The last one may have a zone id after it. */
export function ipv6Groups(address: string): string[] {
  // The parser of URLs converts an IPv4 address at the end. It accepts no zone id.
  const text = address.includes('.')
    ? new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1)
    : address
  const [left = '', right = ''] = text.split('::')
  const before = left === '' ? [] : left.split(':')
  const after = right === '' ? [] : right.split(':')
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after]
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
