import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { textOfFile, UnreadableFile } from '../../catalogue/file-text.ts'
import { baseAddress } from '../../client/base-address.ts'
import { type CommandVariable, environmentText } from '../../config.ts'
import { isKeyText } from '../../shop/keys/key-text.ts'
import { CommandFailed, EXIT_USAGE, reasonOf } from '../terminal/terminal.ts'

/** The options with which every command that sends requests chooses a store and a key. */
export interface StoreOptions {
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly data?: string | undefined
}

const KEY_FILE_BYTES_MAX = 4096

/** Returns the base address in an option or else in its variable; undefined if neither is set. Throws CommandFailed. */
export function givenAddress(
  option: string | undefined,
  flag: string,
  variable: CommandVariable,
): string | undefined {
  const text = option ?? environmentText(variable)
  return text === undefined ? undefined : readAddress(text, option === undefined ? variable : flag)
}

/**
 * Returns a base address without a trailing slash. Throws CommandFailed, whose message does not repeat the text,
 * because it may have a password.
 */
export function readAddress(text: string, source: string): string {
  const address = /[\s\p{Cc}]/u.test(text) ? undefined : baseAddress(text)
  if (address !== undefined) return address
  throw new CommandFailed(
    `${source} must be an http or https URL without user, query or fragment, such as http://127.0.0.1:8080.`,
    EXIT_USAGE,
  )
}

/**
 * Returns the key of --key, or else of PETSTORE_KEY, with its source for messages; undefined if neither is set. Throws
 * CommandFailed.
 */
export function givenKey(option: string | undefined): { key: string; source: string } | undefined {
  const source = option === undefined ? 'PETSTORE_KEY' : '--key'
  const text = option ?? environmentText('PETSTORE_KEY')
  return text === undefined ? undefined : { key: readKeyOption(text, source), source }
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
