import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Reader } from '../../database/engine.ts'
import { writeWholeFile } from '../../files/private-file.ts'
import { runSystemCommand } from '../../serving/system-command.ts'
import { readMetadata } from '../../shop/kernel/metadata.ts'
import { LAST_BACKUP } from '../../transfer/sqlite-restore.ts'
import { parseInstantMs } from '../../values/instant.ts'
import { openStopped } from '../store-access/stopped-store.ts'

/**
 * Records when the last backup of a store began. On SQLite, the record is a file of the data directory: only the
 * process that serves the store may write to the database, and a command at night has no key for it.
 */
export async function recordBackup(config: Config, at: string): Promise<void> {
  if (config.databaseUrl === undefined) {
    writeWholeFile(recordPath(config.data), `${at}\n`, { replace: true })
    return
  }
  await using store = await openStopped(config)
  const { engine } = store
  await runSystemCommand(engine, 'replaceMetadata', { name: LAST_BACKUP, value: at }, engine.clock)
}

/** Deletes the record of the store that was in a data directory. */
export function forgetBackups(directory: string): void {
  rmSync(recordPath(directory), { force: true })
}

/** Returns when the last backup of a store began; undefined if none is known. A restore records its backup, too. */
export async function findLastBackup(
  reader: Reader,
  { databaseUrl, data }: Config,
): Promise<string | undefined> {
  const restored = await readMetadata(reader, LAST_BACKUP)
  const recorded = databaseUrl === undefined ? readRecord(data) : undefined
  return [restored, recorded]
    .filter(at => at !== undefined)
    .sort()
    .at(-1)
}

function readRecord(directory: string): string | undefined {
  try {
    const at = readFileSync(recordPath(directory), 'utf8').trim()
    return parseInstantMs(at) === undefined ? undefined : at
  } catch {
    // A missing or unreadable record means that a backup is asked for, which is safe.
    return undefined
  }
}

function recordPath(directory: string): string {
  return join(directory, 'last-backup')
}
