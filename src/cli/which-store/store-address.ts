import { hostname, networkInterfaces } from 'node:os'
import { environmentText, settings, settingText } from '../../config.ts'
import { isDatabaseAddress } from '../../database/postgres/database-url.ts'
import { isDirectoryLocked } from '../../database/sqlite/data-lock.ts'
import { ignoreProxies } from '../terminal/proxy-variables.ts'
import { CommandFailed, EXIT_UNAVAILABLE, EXIT_USAGE } from '../terminal/terminal.ts'
import { readAddressFile } from './address-file.ts'

/** The address of a store, and the data directory that has published this address. */
export interface StoreAddress {
  readonly url: string
  /** Undefined if no data directory has published the address. */
  readonly directory: string | undefined
}

/**
 * Returns the address of the store that a command calls: `url`, PETSTORE_URL, the address of the store that runs in the
 * data directory, or the default address of a store. Throws CommandFailed.
 */
export function findStore(url: string | undefined, data: string | undefined): StoreAddress {
  const directory = data ?? settingText('data') ?? ''
  if (isDatabaseAddress(directory))
    throw new CommandFailed('--data must name the data directory of a store, not a database.', EXIT_USAGE)
  const published = localOnly(readAddressFile(directory))
  const variable = environmentText('PETSTORE_URL')
  const given =
    url === undefined ? variable && readAddress(variable, 'PETSTORE_URL') : readAddress(url, '--url')
  if (given === undefined && published === undefined && data !== undefined) {
    throw new CommandFailed(
      isDirectoryLocked(data)
        ? `A petstore process uses ${data}, but has no address yet: try again in a moment.`
        : `No store runs in ${data}. Start it with "petstore serve --data ${data}".`,
      EXIT_UNAVAILABLE,
    )
  }
  const chosen = given ?? published ?? defaultUrl()
  if (isThisMachine(chosen)) ignoreProxies()
  return { url: chosen, directory: chosen === published ? directory : undefined }
}

/**
 * Returns a base address without a trailing slash. Throws CommandFailed, whose message does not repeat the text,
 * because it may have a password.
 */
export function readAddress(text: string, source: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!isHttp || url.username !== '' || url.password !== '' || /[?#\s\p{Cc}]/u.test(text)) {
    throw new CommandFailed(
      `${source} must be an http or https URL without user, query or fragment, such as http://127.0.0.1:8080.`,
      EXIT_USAGE,
    )
  }
  let end = url.href.length
  while (url.href[end - 1] === '/') end--
  return url.href.slice(0, end)
}

/** Returns an address only if it is on this machine, because a forged address file must not direct a key elsewhere. */
function localOnly(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address) || !isThisMachine(address)) return undefined
  return new URL(address).origin
}

/** Returns whether the host of an address is this machine. */
export function isThisMachine(address: string): boolean {
  const host = new URL(address).hostname.replace(/^\[(.*)\]$/, '$1')
  if (host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)) return true
  if (host === hostname().toLowerCase()) return true
  return Object.values(networkInterfaces()).some(list => list?.some(one => one.address === host))
}

function defaultUrl(): string {
  const port = settingText('port') ?? ''
  return `http://127.0.0.1:${/^[1-9]\d{0,4}$/.test(port) ? port : settings.port.fallback}`
}
