import { existsSync, readdirSync, renameSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../../files/private-file.ts'
import { hasCode } from '../../files/system-error.ts'
import { formatInstantMs } from '../../values/instant.ts'
import { CommandFailed, reasonOf } from '../terminal/terminal.ts'

/** Throws CommandFailed if a directory has files, because nothing there is replaced. */
export function refuseUsedDirectory(directory: string, name: string): void {
  let entries: readonly string[] = []
  try {
    entries = readdirSync(directory)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    throw new CommandFailed(`${name} cannot be used: ${reasonOf(error)}.`)
  }
  if (entries.length === 0) return
  const today = formatInstantMs(Date.now()).slice(0, 10)
  throw new CommandFailed(
    `${name} is not empty: specify a new directory with --to, for example ${join(dirname(name), today)}.`,
  )
}

/** Gives a complete directory its name. An empty directory of that name is removed before. Throws CommandFailed. */
export function publish(draft: string, directory: string, name: string): void {
  syncDirectory(draft)
  try {
    // Some file systems do not rename a directory over an empty one.
    if (existsSync(directory)) rmdirSync(directory)
    renameSync(draft, directory)
  } catch (error) {
    if (!existsSync(directory) || readdirSync(directory).length === 0) throw error
    throw new CommandFailed(
      `Another program has written files to ${name}: they stay, and this backup was dropped.`,
    )
  }
  syncDirectory(dirname(directory))
}
