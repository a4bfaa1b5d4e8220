import { existsSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../../config.ts'
import { syncDirectory, writeWholeFile } from '../../files/private-file.ts'
import { replaceSecretKey } from '../../serving/first-start.ts'
import type { StoreEngine } from '../../serving/open.ts'
import { readText } from '../../setting-readers.ts'
import { openStopped } from '../store-access/stopped-store.ts'
import { addPlaceOptions, existingStoreFrom, type PlaceOptions } from '../store-access/store-config.ts'
import { CommandFailed, EXIT_USAGE, say } from '../terminal/terminal.ts'
import { findSecretKey, makeKey, readOwnSecretKey, secretKeyPath } from './secret-key.ts'

const HELP = `
Stop the store first, on PostgreSQL every process of it. In a data directory, the new key takes the place of the old
one. A store with PETSTORE_SECRET_KEY_FILE gets it in the file that --to names: set the variable to that file before
the next start. If the command is interrupted, run it again: it goes on with the key that it made. Backups from before
need the old key.

Examples:
  petstore rotate-secret-key --data /var/lib/petstore
  petstore rotate-secret-key --to /etc/petstore/secret-key-2027`

/** Adds the command `rotate-secret-key`, which encrypts the webhook secrets with a new key. */
export function addRotateSecretKey(program: Command): void {
  const command = program
    .command('rotate-secret-key')
    .description('encrypt the webhook secrets of a stopped store with a new key')
    .option('--to <file>', 'the file of the new key, with PETSTORE_SECRET_KEY_FILE')
  addPlaceOptions(command).addHelpText('after', HELP).action(runRotate)
}

async function runRotate({ to, ...options }: PlaceOptions & { readonly to?: string }): Promise<void> {
  const config = existingStoreFrom(options)
  const own = secretKeyPath(config.data)
  const isInDirectory = config.secretKey === undefined && config.databaseUrl === undefined
  if (isInDirectory === (to !== undefined))
    throw new CommandFailed(
      isInDirectory
        ? 'Leave --to out: the key is in the data directory.'
        : 'Specify the file of the new key with --to.',
      EXIT_USAGE,
    )
  const file = to ?? `${own}.new`
  const advice = 'Stop it first: it would encrypt with the old key. Nothing was changed.'
  await using store = await openStopped(config, { advice })
  const count = await rotate(store.engine, config, file)
  const kept = isInDirectory ? keepKey(own) : undefined
  if (isInDirectory) {
    renameSync(file, own)
    syncDirectory(dirname(own))
  }
  const where = isInDirectory ? own : file
  say(`The secrets of the webhooks (${count}) are encrypted with the new key in ${where}: keep a copy of it.`)
  say(
    isInDirectory
      ? `Backups from before need the old key, which is in ${kept}: keep it as long as you keep them.`
      : 'Backups from before need the old key: keep it as long as you keep them.',
  )
  if (!isInDirectory) say(`Set PETSTORE_SECRET_KEY_FILE=${file} before the next start.`)
}

/** Copies the key to a new file in its folder, and returns the path. Earlier copies stay. */
function keepKey(file: string): string {
  const key = readText(file)
  for (let number = 1; ; number++) {
    const copy = `${file}.old${number === 1 ? '' : `-${number}`}`
    if (!existsSync(copy)) writeWholeFile(copy, `${key}\n`, { replace: false })
    else if (!hasText(copy, key)) continue
    return copy
  }
}

/** Returns whether a file has a text. One that cannot be read is another one. */
function hasText(file: string, text: string): boolean {
  try {
    return readText(file) === text
  } catch {
    return false
  }
}

/** Makes the key in a file the right one. The file may be there from a rotation that was interrupted. */
async function rotate(engine: StoreEngine, config: Config, file: string): Promise<number> {
  const old = readOwnSecretKey(config)
  if (old === undefined) throw new CommandFailed('The store has no secret key yet: its next start makes one.')
  // The file is complete before the commit, so the key is never lost.
  const key = findSecretKey(file) ?? makeKey(file)
  if (Buffer.compare(key, old) === 0)
    throw new CommandFailed(`${file} has the current key: name a new file. Nothing was changed.`)
  const count = await replaceSecretKey(engine, { old, key }, engine.clock)
  if (count === 'wrong key')
    throw new CommandFailed(
      `The webhook secrets were encrypted with another key than the store has now. The new key stays in ${file}.`,
    )
  if (count === 'changed')
    throw new CommandFailed(
      `A webhook was changed meanwhile: stop every process of the store, and run this again.`,
    )
  return count
}
