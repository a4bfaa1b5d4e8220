import { hostname, networkInterfaces } from 'node:os'

/** The names that stand for every address, with the loopback address of the same family. */
const loopbackOfAny: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }

/**
 * Returns the address at which clients on the same machine reach a listener. This is never the public base URL, which
 * may be on another host. A listener on all interfaces is reached through loopback.
 */
export function localAddress(host: string, port: number): string {
  const name = nameInUrl(host)
  return `http://${loopbackOfAny[name] ?? name}:${port}`
}

/** Returns whether a value of --host stands for every address of this machine. */
export function isAnyAddress(host: string): boolean {
  return Object.hasOwn(loopbackOfAny, nameInUrl(host))
}

/** Returns a host as a URL contains it: `[::]` for `::`, and `0.0.0.0` for `0`. */
function nameInUrl(host: string): string {
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return URL.parse(`http://${bracketed}`)?.hostname ?? bracketed
}

/** Returns whether the host of an address is this machine. */
export function isThisMachine(address: string): boolean {
  const host = new URL(address).hostname.replace(/^\[(.*)\]$/, '$1')
  if (host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)) return true
  if (host === hostname().toLowerCase()) return true
  return Object.values(networkInterfaces()).some(list => list?.some(one => one.address === host))
}
