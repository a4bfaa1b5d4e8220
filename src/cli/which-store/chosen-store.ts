import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { textOfFile, UnreadableFile } from '../../catalogue/file-text.ts'
import { environmentText } from '../../config.ts'
import { isKeyText } from '../../shop/keys/schema.ts'
import { adminKeyFile, adminKeyPath } from '../keys/admin-key-file.ts'
import { CommandFailed, EXIT_USAGE, reasonOf } from '../terminal/terminal.ts'
import { findStore } from './store-address.ts'

/** The options with which every command that sends requests chooses a store and a key. */
export interface StoreOptions {
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly data?: string | undefined
}

/** The store that a command calls. The key is sent only to this URL. */
export interface ChosenStore {
  readonly url: string
  readonly key: string | undefined
  /** Where the key comes from, for messages, which never contain the key itself. */
  readonly keySource: string | undefined
}

/** The maximum size of a file that contains a key. */
const KEY_FILE_BYTES_MAX = 4096

/**
 * Returns the store and the key of a command. The generated admin key is used only with the address that the store in
 * the same data directory has published. Throws CommandFailed.
 */
export function chooseStore({ url, key, data }: StoreOptions): ChosenStore {
  const address = findStore(url, data)
  const variable = environmentText('PETSTORE_KEY')
  if (key !== undefined) return { url: address.url, key: readKeyOption(key, '--key'), keySource: '--key' }
  if (variable !== undefined) {
    return { url: address.url, key: readKeyOption(variable, 'PETSTORE_KEY'), keySource: 'PETSTORE_KEY' }
  }
  const { directory } = address
  const admin = directory === undefined ? undefined : adminKeyFile(directory).read()
  const keySource = directory === undefined ? undefined : adminKeyPath(directory)
  return { url: address.url, key: admin, keySource }
}

/** Returns the key in a text, or in the file that `@file` names. Throws CommandFailed without repeating the text. */
export function readKeyOption(text: string, source: string): string {
  const key = text.startsWith('@') ? readKeyFile(text.slice(1), source) : text
  if (isKeyText(key)) return key
  throw new CommandFailed(
    `${source} must be a complete key, which starts with pst_, or @ and the name of a file with a key.`,
    EXIT_USAGE,
  )
}

function readKeyFile(name: string, source: string): string {
  const file = resolve(name)
  try {
    // Reading a pipe would block until its other end is opened.
    const status = statSync(file)
    if (!status.isFile()) throw new Error('it is not a file')
    if (status.size > KEY_FILE_BYTES_MAX) throw new Error('it is too large for a key')
    return textOfFile(file, readFileSync(file), 'text').trim()
  } catch (error) {
    // The message about the encoding would repeat a part of the text.
    const reason = error instanceof UnreadableFile ? 'it is not a text in UTF-8' : reasonOf(error)
    throw new CommandFailed(`The file of ${source} cannot be read: ${reason}.`, EXIT_USAGE)
  }
}
