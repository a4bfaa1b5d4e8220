import { settings, settingText } from '../../config.ts'
import { isDatabaseAddress } from '../../database/postgres/database-url.ts'
import { ignoreProxies } from '../terminal/proxy-variables.ts'
import { CommandFailed, EXIT_UNAVAILABLE, EXIT_USAGE } from '../terminal/terminal.ts'
import { readAddressFile } from './address-file.ts'
import { adminKeyFile, adminKeyPath } from './admin-key-file.ts'
import { isStoreRunning } from './store-config.ts'
import { givenAddress, givenKey, type StoreOptions } from './store-options.ts'
import { isThisMachine } from './this-machine.ts'

/** The address of a store, and the data directory that has published this address. */
interface StoreAddress {
  readonly url: string
  /** Undefined if no data directory has published the address. */
  readonly directory: string | undefined
}

/** The store that a command calls. The key is sent only to this URL. */
export interface CalledStore {
  readonly url: string
  readonly key: string | undefined
  /** Where the key comes from, for messages, which never contain the key itself. */
  readonly keySource: string | undefined
}

/**
 * Returns the store and the key of a command. The generated admin key is used only with the address that the store in
 * the same data directory has published. Throws CommandFailed.
 */
export function chooseStore(options: StoreOptions): CalledStore {
  const { url, directory } = findStore(options.url, options.data)
  const given = givenKey(options.key)
  if (given) return { url, key: given.key, keySource: given.source }
  if (directory === undefined) return { url, key: undefined, keySource: undefined }
  return { url, key: adminKeyFile(directory).read(), keySource: adminKeyPath(directory) }
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
  const given = givenAddress(url, '--url', 'PETSTORE_URL')
  if (given === undefined && published === undefined && data !== undefined) {
    throw new CommandFailed(
      isStoreRunning(data)
        ? `A petstore process uses ${data}, but has no address yet: try again in a moment.`
        : `No store runs in ${data}. Start it with "petstore serve --data ${data}".`,
      EXIT_UNAVAILABLE,
    )
  }
  const chosen = given ?? published ?? defaultUrl()
  if (isThisMachine(chosen)) ignoreProxies()
  return { url: chosen, directory: chosen === published ? directory : undefined }
}

/** Returns an address only if it is on this machine, because a forged address file must not direct a key elsewhere. */
function localOnly(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address) || !isThisMachine(address)) return undefined
  return new URL(address).origin
}

function defaultUrl(): string {
  const port = settingText('port') ?? ''
  return `http://127.0.0.1:${/^[1-9]\d{0,4}$/.test(port) ? port : settings.port.fallback}`
}
