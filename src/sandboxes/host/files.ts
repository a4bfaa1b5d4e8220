import { existsSync, readdirSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { storageFull } from '../../contract/refusals.ts'
import { mergeWriteAheadLog } from '../../database/sqlite/files.ts'
import type { TimeSlices } from '../../database/time-slices.ts'
import { makeDirectory, syncDirectory, syncFile } from '../../files/private-file.ts'
import { formatInstantMs } from '../../values/instant.ts'
import { snapshotNotFound } from '../contract/refusals.ts'
import type { Snapshot } from '../contract/schema.ts'
import { refusalOfFullDisk } from '../registry/full-disk.ts'
import { fileBytes } from '../requests/file-bytes.ts'
import { type Adoption, adoptCopy, removeDatabase, removeJournals } from './templates.ts'

const SNAPSHOT_SUFFIX = '.db'
/** The suffix of a file that is being written. A killed process can leave such files. */
const UNFINISHED_SUFFIX = '.new'
/** With fewer free bytes than this on the disk, a failure to open a sandbox is reported as `storage_full`. */
const FREE_BYTES_MIN = 64 * 1024

/** The files of all sandboxes of a host: a directory for each, with its store, seed, snapshots and request log. */
export class SandboxFiles {
  readonly #root: string
  readonly #slices: TimeSlices

  /** `root` is created if it does not exist. */
  constructor(root: string, slices: TimeSlices) {
    this.#root = root
    this.#slices = slices
    makeDirectory(root)
  }

  directoryOf(id: string): string {
    return join(this.#root, id)
  }

  storeOf(id: string): string {
    return join(this.directoryOf(id), 'petstore.db')
  }

  /** Returns the path of the copy of the snapshot that a sandbox was created from; the file may not exist. */
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

  /** Deletes the directories of unknown sandboxes, and the unfinished files in the other directories. */
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
   * Copies a template or a snapshot into a closed sandbox, in place of its content. If the process is killed meanwhile,
   * the sandbox has the old content or the new content. `onCopied` is called before the content is replaced.
   */
  async fill(adoption: Adoption, source: string, onCopied: () => void = () => {}): Promise<void> {
    const file = this.storeOf(adoption.id)
    const unfinished = file + UNFINISHED_SUFFIX
    // A killed host can leave commits in the write-ahead log. Without them, the old content would not be complete.
    mergeLog(file)
    try {
      await removeDatabase(unfinished)
      await copyFile(source, unfinished)
      await adoptCopy(unfinished, adoption, this.#slices)
      // The sandbox of a class survives a power failure.
      if (adoption.classId !== undefined) syncFile(unfinished)
      onCopied()
      // The write-ahead log of the old content must not be applied to the new content.
      await removeJournals(file)
      await rename(unfinished, file)
      if (adoption.classId !== undefined)
        for (const directory of [this.directoryOf(adoption.id), this.#root]) syncDirectory(directory)
    } catch (error) {
      throw refusalOfFullDisk(error)
    } finally {
      await removeDatabase(unfinished)
    }
  }

  async listSnapshots(id: string): Promise<Snapshot[]> {
    const names = await readdir(this.#snapshotsOf(id)).catch(() => [])
    const found = names.filter(name => name.endsWith(SNAPSHOT_SUFFIX) && !name.startsWith('.'))
    return Promise.all(
      found.sort().map(name => this.showSnapshot(id, name.slice(0, -SNAPSHOT_SUFFIX.length))),
    )
  }

  /** Returns a snapshot as the API shows it. Throws `snapshot_not_found`. */
  async showSnapshot(id: string, name: string): Promise<Snapshot> {
    const { size, mtimeMs } = await stat(this.findSnapshot(id, name))
    return { name, bytes: BigInt(size), takenAt: formatInstantMs(Math.floor(mtimeMs)) }
  }

  /** Returns the path of a snapshot. Throws `snapshot_not_found`. */
  findSnapshot(id: string, name: string, isSeed = false): string {
    const file = this.snapshotOf(id, name)
    if (!existsSync(file)) throw snapshotNotFound(name, isSeed)
    return file
  }

  /** Returns the path of a snapshot; the file may not exist. */
  snapshotOf(id: string, name: string): string {
    return join(this.#snapshotsOf(id), `${name}${SNAPSHOT_SUFFIX}`)
  }

  /** Writes a snapshot with `copy`, which gets the path of the file to create. */
  async writeSnapshot(id: string, name: string, copy: (file: string) => Promise<void>): Promise<void> {
    const directory = this.#snapshotsOf(id)
    // Not recursive: the directory of a deleted sandbox must not be created again.
    if (!existsSync(directory)) await mkdir(directory, { mode: 0o700 })
    const unfinished = join(directory, `.${name}${UNFINISHED_SUFFIX}`)
    try {
      await rm(unfinished, { force: true })
      await copy(unfinished)
      syncFile(unfinished)
      await rename(unfinished, this.snapshotOf(id, name))
    } catch (error) {
      throw refusalOfFullDisk(error)
    } finally {
      await rm(unfinished, { force: true })
    }
  }

  async bytesOf(id: string): Promise<number> {
    const entries = await readdir(this.directoryOf(id), { withFileTypes: true, recursive: true }).catch(
      () => [],
    )
    let bytes = 0
    for (const entry of entries)
      if (entry.isFile()) bytes += await fileBytes(join(entry.parentPath, entry.name))
    return bytes
  }

  /** Returns `storage_full` for any error while the disk is full; otherwise the result of `refusalOfFullDisk`. */
  async failureOf(error: unknown): Promise<unknown> {
    const { bavail, bsize } = await statfs(this.#root)
    return bavail * bsize < FREE_BYTES_MIN ? storageFull() : refusalOfFullDisk(error)
  }

  #snapshotsOf(id: string): string {
    return join(this.directoryOf(id), 'snapshots')
  }
}

async function removeUnfinished(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names)
    if (name.includes(UNFINISHED_SUFFIX)) await rm(join(directory, name), { force: true })
}

/** Moves the write-ahead log of a closed store into its file, unless the file is damaged. */
function mergeLog(file: string): void {
  if (!existsSync(`${file}-wal`)) return
  try {
    mergeWriteAheadLog(file)
  } catch {
    // A damaged file needs no merge: the caller replaces it.
  }
}
