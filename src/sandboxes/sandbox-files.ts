import { existsSync, readdirSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory } from '../engine/private-file.ts'
import { formatInstantMs } from '../model/instant.ts'
import { storageFull } from '../model/refusals.ts'
import { fileBytes } from './file-bytes.ts'
import { snapshotNotFound } from './refusals.ts'
import type { SandboxRecord } from './registry.ts'
import type { Snapshot } from './sandbox.ts'
import { type Adoption, adoptCopy, removeDatabase, removeLog } from './templates.ts'

const SNAPSHOT_END = '.db'
/** The end of the name of a file that is being written. A kill can leave such files. */
const UNFINISHED_END = '.new'
/** With less free space than this, an error of input or output means that the disk is full. */
const FREE_BYTES_MIN = 64 * 1024

/** The files of all sandboxes of a host: a directory for each, with its store, its snapshots and its request log. */
export class SandboxFiles {
  readonly #root: string

  /** `root` is created if it does not exist. */
  constructor(root: string) {
    this.#root = root
    makeDirectory(root)
  }

  directoryOf(id: string): string {
    return join(this.#root, id)
  }

  /** Returns the database of a sandbox. */
  storeOf(id: string): string {
    return join(this.directoryOf(id), 'petstore.db')
  }

  /** Returns the copy of the snapshot that a sandbox was created from. */
  seedOf(id: string): string {
    return join(this.directoryOf(id), 'seed.db')
  }

  exists(id: string): boolean {
    return existsSync(this.directoryOf(id))
  }

  async create(id: string): Promise<void> {
    await mkdir(this.directoryOf(id), { mode: 0o700 })
  }

  async delete(id: string): Promise<void> {
    await rm(this.directoryOf(id), { recursive: true, force: true })
  }

  /** Deletes the directories that are of no known sandbox, and in the others what a kill left unfinished. */
  async clean(isKnown: (id: string) => boolean): Promise<void> {
    for (const id of readdirSync(this.#root)) {
      if (!isKnown(id)) await this.delete(id)
      else {
        for (const directory of [this.directoryOf(id), this.#snapshotsOf(id)])
          await removeUnfinished(directory)
      }
    }
  }

  /**
   * Replaces the content of a sandbox that is closed with a copy of a template or of a snapshot. A kill leaves the old
   * content or the new one.
   */
  async fill({ id }: Pick<SandboxRecord, 'id'>, source: string, adoption: Adoption): Promise<void> {
    const file = this.storeOf(id)
    const unfinished = file + UNFINISHED_END
    try {
      await removeDatabase(unfinished)
      await copyFile(source, unfinished)
      await adoptCopy(unfinished, adoption)
      // The log of the old content must not be applied to the new one. It is empty, because the store was closed.
      await removeLog(file)
      await rename(unfinished, file)
    } finally {
      await removeDatabase(unfinished)
    }
  }

  async listSnapshots(id: string): Promise<Snapshot[]> {
    const names = await readdir(this.#snapshotsOf(id)).catch(() => [])
    const found = names.filter(name => name.endsWith(SNAPSHOT_END) && !name.startsWith('.'))
    return Promise.all(found.sort().map(name => this.showSnapshot(id, name.slice(0, -SNAPSHOT_END.length))))
  }

  /** Returns a snapshot as the API shows it. Throws `snapshot_not_found`. */
  async showSnapshot(id: string, name: string): Promise<Snapshot> {
    const { size, mtimeMs } = await stat(this.findSnapshot(id, name))
    return { name, bytes: BigInt(size), takenAt: formatInstantMs(Math.floor(mtimeMs)) }
  }

  /** Returns the file of a snapshot. Throws `snapshot_not_found`. */
  findSnapshot(id: string, name: string, isSeed = false): string {
    const file = this.snapshotOf(id, name)
    if (!existsSync(file)) throw snapshotNotFound(name, isSeed)
    return file
  }

  /** Returns the file of a snapshot, which may not exist. */
  snapshotOf(id: string, name: string): string {
    return join(this.#snapshotsOf(id), `${name}${SNAPSHOT_END}`)
  }

  /** Writes a snapshot with `copy`, which gets the name of a file to create. */
  async writeSnapshot(id: string, name: string, copy: (file: string) => Promise<void>): Promise<void> {
    const directory = this.#snapshotsOf(id)
    // Not recursive: the directory of a deleted sandbox must not be created again.
    if (!existsSync(directory)) await mkdir(directory, { mode: 0o700 })
    const unfinished = join(directory, `.${name}${UNFINISHED_END}`)
    try {
      await rm(unfinished, { force: true })
      await copy(unfinished)
      await rename(unfinished, this.snapshotOf(id, name))
    } finally {
      await rm(unfinished, { force: true })
    }
  }

  /** Returns the number of bytes of the files of a sandbox. */
  async bytesOf(id: string): Promise<number> {
    const entries = await readdir(this.directoryOf(id), { withFileTypes: true, recursive: true }).catch(
      () => [],
    )
    let bytes = 0
    for (const entry of entries)
      if (entry.isFile()) bytes += await fileBytes(join(entry.parentPath, entry.name))
    return bytes
  }

  /** Returns the refusal for an error on a full disk, and any other error unchanged. */
  async failureOf(error: unknown): Promise<unknown> {
    const { bavail, bsize } = await statfs(this.#root)
    return bavail * bsize < FREE_BYTES_MIN ? storageFull() : refusalOfFullDisk(error)
  }

  #snapshotsOf(id: string): string {
    return join(this.directoryOf(id), 'snapshots')
  }
}

/** Returns the refusal for an error because the disk is full, and any other error unchanged. */
export function refusalOfFullDisk(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL' ? storageFull() : error
}

async function removeUnfinished(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names)
    if (name.includes(UNFINISHED_END)) await rm(join(directory, name), { force: true })
}
