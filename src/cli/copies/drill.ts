import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../../config.ts'
import { draftOf, isDraft } from '../../files/draft.ts'
import { readMetadata } from '../../shop/kernel/metadata.ts'
import { countText } from '../../values/count-text.ts'
import { formatInstantMs } from '../../values/instant.ts'
import { MANIFEST_FILE, readManifest } from '../backup-files/backup-manifest.ts'
import { recordDrill } from '../backup-files/last-backup.ts'
import { storeIdIn } from '../backup-files/nightly-backups.ts'
import { checkContent, lineOf } from '../inspect/doctor.ts'
import { readOwnSecretKey } from '../keys/secret-key.ts'
import { openSnapshot } from '../store-access/snapshot.ts'
import { addPlaceOptions, existingStoreFrom, type PlaceOptions } from '../store-access/store-config.ts'
import { interruptedBySignals } from '../terminal/interruption.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, print, reasonOf, say } from '../terminal/terminal.ts'
import { restoreBackup } from './restore.ts'

interface DrillOptions extends PlaceOptions {
  readonly from?: string
  readonly scratch: string
}

const EXAMPLES = `
Restores the newest backup into a scratch directory, checks every page, row, total and audit entry there, with the
secret key of the store, and deletes it. The store can be running. The metric petstore_last_drill_timestamp_seconds
says when a drill last succeeded.

Examples:
  petstore drill --from /mnt/backups
  petstore drill --from backups/2026-11-22 --scratch /mnt/large`

/** Adds the command `drill`, which shows that a backup of a store can be restored. */
export function addDrill(program: Command): void {
  const command = program
    .command('drill')
    .description('restore the newest backup into a scratch directory, check it, and delete it again')
    .option('--from <backup>', 'a backup, or a directory with backups (default: PETSTORE_BACKUPS)')
    .option('--scratch <directory>', 'where there is room for the store', tmpdir())
  addPlaceOptions(command).addHelpText('after', EXAMPLES).action(runDrill)
}

async function runDrill({ from, scratch, data, databaseUrl }: DrillOptions): Promise<void> {
  const config = existingStoreFrom({ data, databaseUrl })
  const place = from ?? config.backups
  if (place === undefined)
    throw new CommandFailed('Specify a backup, or a directory with backups, with --from.', EXIT_USAGE)
  const backup = await newestBackup(place, config)
  const at = formatInstantMs(Date.now())
  const startedMs = performance.now()
  using interruption = interruptedBySignals('Nothing was left.')
  if (!existsSync(scratch)) throw new CommandFailed(`${escapeControls(scratch)} does not exist.`)
  // A later drill removes what a killed one left.
  const directory = draftOf(join(scratch, 'petstore-drill'))
  try {
    const to = { kind: 'directory', name: directory, directory } as const
    const { restore } = await restoreBackup(backup, to, interruption.signal)
    const restored = {
      ...config,
      data: directory,
      databaseUrl: undefined,
      secretKey: readOwnSecretKey(config),
    }
    const results = await checkContent(restored)
    for (const result of results) await print(lineOf(result))
    const problems = results.filter(({ level }) => level === 'problem').length
    if (problems > 0)
      throw new CommandFailed(`${escapeControls(backup)}: ${countText(problems, 'check')} failed.`)
    await recordDrill(config, { at, isAuditIntact: true }).catch(error =>
      say(`The metrics will not know of this drill: ${escapeControls(reasonOf(error))}`),
    )
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    say(
      `The store of ${restore.manifest.createdAt} was restored from ${escapeControls(backup)} in ${seconds} s.`,
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * Returns a backup, or the newest one in a directory, which may also have those of the nights of other stores. Throws
 * CommandFailed if there is none.
 */
async function newestBackup(place: string, config: Config): Promise<string> {
  if (!existsSync(place)) throw new CommandFailed(`${escapeControls(place)} does not exist.`)
  if (existsSync(join(place, MANIFEST_FILE)) || !statSync(place).isDirectory()) return place
  const names = readdirSync(place)
  const storeId = names.some(name => storeIdIn(name) !== undefined) ? await readStoreId(config) : undefined
  const backups = names
    .filter(name => [undefined, storeId].includes(storeIdIn(name)) && !isDraft(name))
    .map(name => join(place, name))
    .filter(directory => existsSync(join(directory, MANIFEST_FILE)))
    .flatMap(directory => {
      const at = createdAt(directory, storeIdIn(basename(directory)) !== undefined)
      return at === undefined ? [] : [{ directory, at }]
    })
    .sort((a, b) => a.at.localeCompare(b.at))
  const { directory } = backups.at(-1) ?? {}
  if (directory === undefined) throw new CommandFailed(`There is no backup in ${escapeControls(place)}.`)
  return directory
}

/**
 * Returns when a backup was made. A directory whose manifest cannot be read is left out with a message, but for the
 * backup of a night, throws CommandFailed: it may be the newest one.
 */
function createdAt(directory: string, isOfNight: boolean): string | undefined {
  try {
    return readManifest(directory).createdAt
  } catch (error) {
    if (isOfNight) throw error
    say(`${reasonOf(error)} It is left out.`)
    return undefined
  }
}

/** Returns the id in the names of the backups of the nights of a store; undefined if it has made none. */
async function readStoreId(config: Config): Promise<string | undefined> {
  await using snapshot = await openSnapshot(config)
  return await readMetadata(snapshot.reader, 'store-id')
}
