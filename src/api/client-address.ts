import { BlockList, isIP } from 'node:net'

/**
 * Finds the client of a request behind proxies. X-Forwarded-For is believed only from a trusted peer, and read from
 * its end: the last address that no trusted proxy has is the client.
 */
export function clientAddress(trusted: readonly string[]): (request: Request, peer: string) => string {
  if (trusted.length === 0) return (_, peer) => peer
  const proxies = new BlockList()
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  const isProxy = (address: string): boolean =>
    isIP(address) !== 0 && proxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return (request, peer) => {
    const hops = (request.headers.get('x-forwarded-for') ?? '').split(',').map(hop => hop.trim())
    let address = peer
    while (isProxy(address)) {
      const hop = hops.pop()
      if (hop === undefined || isIP(hop) === 0) break
      address = hop
    }
    return address
  }
}
