import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isAlive } from './alive.ts'

/** The end of the name of a draft, which no other program uses. SQLite adds an end of its own for its files. */
const DRAFT = /\.(\d+)\.petstore-draft(?:-journal|-wal|-shm)?$/

/**
 * Returns the name under which a file or a directory is made before it gets its own name. Removes the drafts next to it
 * that processes left which were killed.
 */
export function draftOf(path: string): string {
  removeAbandonedDrafts(dirname(path))
  return `${path}.${process.pid}.petstore-draft`
}

/** Returns whether a process that was interrupted has left a draft of a file or directory. */
export function hasDraft(path: string): boolean {
  return namesIn(dirname(path)).some(name => name.startsWith(`${basename(path)}.`) && DRAFT.test(name))
}

/** Never fails: a draft that stays takes only space. */
function removeAbandonedDrafts(directory: string): void {
  for (const name of namesIn(directory)) {
    const [, pid] = DRAFT.exec(name) ?? []
    // A process that asks for a draft has none: that of the same id is of a process before it.
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue
    try {
      rmSync(join(directory, name), { recursive: true, force: true })
    } catch {
      // It belongs to another user.
    }
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
