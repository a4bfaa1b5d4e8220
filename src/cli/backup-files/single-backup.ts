import { createHash } from 'node:crypto'
import { appendFileSync, statSync, truncateSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory, makePrivate, writeWholeFile } from '../../files/private-file.ts'
import { CommandFailed, escapeControls, reasonOf } from '../terminal/terminal.ts'
import { DATABASE_FILE, MANIFEST_FILE } from './backup-manifest.ts'

/** The size of the end of a backup that is one file. The database is before it; SQLite ignores what is behind. */
const END_BYTES = 1024

/** Returns the manifest and its SHA-256. The manifest has the SHA-256 of the database, so they cover the whole file. */
function endOf(manifest: string): string {
  return `${createHash('sha256').update(manifest).digest('hex')}\n${manifest}`.padEnd(END_BYTES)
}

/** Makes a database a backup of one file. */
export function appendManifest(database: string, manifest: string): void {
  appendFileSync(database, endOf(manifest))
}

/** Makes the directory of a backup from one file, unverified. Throws CommandFailed if the file is not such a backup. */
export async function unpackBackup(file: string, directory: string): Promise<void> {
  const name = escapeControls(file)
  try {
    const bytes = Math.max(0, statSync(file).size - END_BYTES)
    const end = await Bun.file(file).slice(bytes).text()
    const manifest = `${end.slice(end.indexOf('\n') + 1).trimEnd()}\n`
    if (end !== endOf(manifest))
      throw new CommandFailed(`${name} is not a backup that the console saved, is cut off, or was changed.`)
    makeDirectory(directory)
    const database = join(directory, DATABASE_FILE)
    await copyFile(file, database)
    makePrivate(database)
    truncateSync(database, bytes)
    writeWholeFile(join(directory, MANIFEST_FILE), manifest, { replace: false })
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    throw new CommandFailed(`The backup ${name} cannot be read: ${reasonOf(error)}.`)
  }
}
