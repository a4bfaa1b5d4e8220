import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../../config.ts'
import { writeWholeFile } from '../../files/private-file.ts'
import { hasCode } from '../../files/system-error.ts'
import { adoptSecretKey, isSecretKeyRight } from '../../serving/first-start.ts'
import type { StoreEngine } from '../../serving/open.ts'
import { readSecretKey } from '../../setting-readers.ts'
import { hasEncryptedSecret } from '../../shop/webhooks/verbs.ts'
import { SECRET_KEY_BYTES } from '../../values/secret-box.ts'
import { CommandFailed, EXIT_USAGE, reasonOf, say } from '../terminal/terminal.ts'

/** Adds the command `new-secret-key`, which creates the file for PETSTORE_SECRET_KEY_FILE. */
export function addNewSecretKey(program: Command): void {
  program
    .command('new-secret-key <file>')
    .description('create the key that encrypts webhook secrets, and write it to a file')
    .action((file: string) => {
      makeKey(file)
      say(`The key is in ${file}. Webhook secrets cannot be decrypted without it: keep a copy.\n`)
    })
}

const OTHER_KEY =
  'The webhook secrets in this database were encrypted with a different key: start the store with that key. ' +
  'If "petstore rotate-secret-key" was interrupted, run it again.'

/**
 * Returns the secret key from the settings, or else the key in the data directory; undefined if the directory has no
 * key yet. Throws CommandFailed if the file cannot be read, or if DATABASE_URL is set but no secret key is given.
 */
export function readOwnSecretKey({ secretKey, databaseUrl, data }: Config): Uint8Array | undefined {
  if (secretKey !== undefined) return secretKey
  if (databaseUrl !== undefined) {
    throw new CommandFailed(
      'With DATABASE_URL, PETSTORE_SECRET_KEY_FILE must name the file of the key that encrypts webhook secrets, the same for every process; "petstore new-secret-key FILE" creates one.',
      EXIT_USAGE,
    )
  }
  return findSecretKey(secretKeyPath(data))
}

/** Returns the secret key in a file; undefined if there is no file. Throws CommandFailed if it has none. */
export function findSecretKey(file: string): Uint8Array | undefined {
  const text = readKeyFile(file)
  if (text === undefined) return undefined
  try {
    return readSecretKey(text.trim())
  } catch (error) {
    throw new CommandFailed(`${file}: ${error instanceof Error ? error.message : error}`)
  }
}

/** Returns the text of a key file, or undefined if there is none. Throws CommandFailed if it cannot be read. */
function readKeyFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw new CommandFailed(`The key cannot be read from ${file}: ${reasonOf(error)}.`)
  }
}

/**
 * Returns the key for the webhook secrets: `found`, or a new key, which is written to the data directory. The database
 * records which key is used. A key from the data directory replaces a different recorded key, but only while the
 * database has no secrets. Throws CommandFailed if the database has secrets and no key was found, or if the recorded
 * key cannot be replaced.
 */
export async function settleSecretKey(
  engine: StoreEngine,
  found: Uint8Array | undefined,
  { secretKey, data }: Config,
): Promise<Uint8Array> {
  const { clock } = engine
  if (found === undefined && (await engine.readShort(hasEncryptedSecret))) {
    throw new CommandFailed(
      `The key that encrypts the webhook secrets is missing: restore it as ${secretKeyPath(data)} from your copy.`,
    )
  }
  const key = found ?? makeKey(secretKeyPath(data))
  const isRight =
    (await isSecretKeyRight(engine, key, clock)) ||
    // A process that shares its key file with others must not replace the key, because another process may use it.
    (secretKey === undefined && (await adoptSecretKey(engine, key, clock)))
  if (!isRight) throw new CommandFailed(OTHER_KEY)
  return key
}

/** Returns the path of the key that encrypts webhook secrets in a data directory. */
export function secretKeyPath(directory: string): string {
  return join(directory, 'secret-key')
}

/** Throws CommandFailed if the file exists or cannot be written. */
export function makeKey(file: string): Uint8Array {
  const key = randomBytes(SECRET_KEY_BYTES)
  try {
    writeWholeFile(file, `${key.toString('base64')}\n`, { replace: false })
  } catch (error) {
    if (existsSync(file)) throw new CommandFailed(`${file} exists already, and was not changed.`)
    throw new CommandFailed(`The key cannot be written to ${file}: ${reasonOf(error)}.`)
  }
  return key
}
