import { readdirSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { isAlive } from './alive.ts'

/** The end of the name of a draft, which no other program uses. SQLite adds an end of its own for its files. */
const DRAFT = /\.(\d+)(?:-([\w-]+))?\.petstore-draft(?:-journal|-wal|-shm)?$/
/** The host, as a part of a name. Containers with the same ids of processes may share a directory. */
const HOST = hostname().replaceAll(/\W/g, '-')
/** The age in milliseconds at which a draft of another host counts as abandoned: before the next backup of a night. */
const ABANDONED_MS = 20 * 60 * 60 * 1000

/** The absolute paths of the drafts that this process has asked for: one for each backup or copy. */
const own = new Set<string>()

/**
 * Returns the name under which a file or a directory is made before it gets its own name. Removes the drafts next to it
 * that processes left which were killed, and that of the same path.
 */
export function draftOf(path: string): string {
  const draft = path + draftEnd(process.pid)
  own.delete(resolve(draft))
  removeAbandonedDrafts(dirname(path))
  own.add(resolve(draft))
  return draft
}

/** Returns the end of the names of the drafts of a process on this host. */
export function draftEnd(pid: number): string {
  return `.${pid}-${HOST}.petstore-draft`
}

/** Returns whether a name is that of a draft. */
export function isDraft(name: string): boolean {
  return DRAFT.test(name)
}

/** Returns whether a process that was interrupted has left a draft of a file or directory. */
export function hasDraft(path: string): boolean {
  return namesIn(dirname(path)).some(name => name.startsWith(`${basename(path)}.`) && isDraft(name))
}

/** Never fails: a draft that stays takes only space. */
function removeAbandonedDrafts(directory: string): void {
  for (const name of namesIn(directory)) {
    const [, pid, host = HOST] = DRAFT.exec(name) ?? []
    if (pid === undefined) continue
    const path = join(directory, name)
    try {
      if (own.has(resolve(path).replace(/-(?:journal|wal|shm)$/, ''))) continue
      // That of the same id is of a process before this one.
      const isAbandoned =
        host === HOST
          ? Number(pid) === process.pid || !isAlive(Number(pid))
          : statSync(path).mtimeMs < Date.now() - ABANDONED_MS
      if (isAbandoned) rmSync(path, { recursive: true, force: true })
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
