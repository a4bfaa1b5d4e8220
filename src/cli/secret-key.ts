import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Config, readSecretKey } from '../config.ts'
import { SECRET_KEY_BYTES } from '../model/webhook.ts'
import { CommandFailed, say } from './terminal.ts'

/** Adds `new-secret-key`. */
export function addNewSecretKey(program: Command): void {
  program
    .command('new-secret-key <file>')
    .description('make a key that seals the secrets of webhooks, in a file of its own')
    .action((file: string) => {
      makeKey(file)
      say(`The key lies in ${file}. Without it the secrets of webhooks cannot be read: keep a copy.\n`)
    })
}

/** The key in the data directory, made at the first start. Throws CommandFailed for a store without a directory. */
export function ownSecretKey({ databaseUrl, data }: Config): Uint8Array {
  if (databaseUrl !== undefined) {
    throw new CommandFailed(
      'With DATABASE_URL, PETSTORE_SECRET_KEY_FILE must name the file of the key that seals the secrets of webhooks, the same for every process; "petstore new-secret-key FILE" makes one.',
      2,
    )
  }
  const file = join(data, 'secret-key')
  try {
    return readSecretKey(readFileSync(file, 'utf8').trim())
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      throw new CommandFailed(`${file}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return makeKey(file)
}

/** Writes a new key into a file that only its owner reads. Throws CommandFailed when there is such a file. */
function makeKey(file: string): Uint8Array {
  const key = randomBytes(SECRET_KEY_BYTES)
  try {
    writeFileSync(file, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`The key cannot be written to ${file}: ${reason}.`)
  }
  return key
}
