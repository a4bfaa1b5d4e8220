import { closeSync, existsSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { extname } from 'node:path'
import type { RecordSpan } from './catalogue-file.ts'
import type { ImportPaths } from './importer.ts'
import { CommandFailed, escapeControls, reasonOf } from './terminal.ts'

interface Descriptors {
  readonly source: number
  readonly target: number
}

/** Returns the file for the invalid lines of each file: `rejects.csv`, or `rejects-pets.csv` if there are two. */
export function rejectsPaths(path: string, { categories, pets }: ImportPaths): ImportPaths {
  if (categories === undefined) return { pets: path }
  if (pets === undefined) return { categories: path }
  const extension = extname(path)
  const stem = path.slice(0, path.length - extension.length)
  return { categories: `${stem}-categories${extension}`, pets: `${stem}-pets${extension}` }
}

/**
 * Copies the header and the invalid lines of a file, byte for byte, to a new file, so that the lines can be corrected
 * and imported. Without an invalid line, there is no new file. `add` throws CommandFailed if a file cannot be read or
 * written.
 */
export class RejectedLines {
  readonly path: string
  readonly #source: string
  #descriptors: Descriptors | undefined

  /** Throws CommandFailed if `path` exists. */
  constructor(source: string, path: string) {
    this.#source = source
    this.path = path
    if (existsSync(path))
      throw new CommandFailed(`${escapeControls(path)} exists: --rejects needs a new file.`, 2)
  }

  add({ headerTo, from, to }: RecordSpan): void {
    this.#orFail(() => {
      if (!this.#descriptors) {
        const source = openSync(this.#source, 'r')
        this.#descriptors = { source, target: openSync(this.path, 'wx') }
        copy(this.#descriptors, 0, headerTo)
      }
      copy(this.#descriptors, from, to)
    })
  }

  /** Closes the new file, and returns whether it exists. */
  close(): boolean {
    if (!this.#descriptors) return false
    closeSync(this.#descriptors.source)
    closeSync(this.#descriptors.target)
    return true
  }

  /** Closes and deletes the new file. */
  discard(): void {
    if (this.close()) rmSync(this.path, { force: true })
  }

  #orFail(work: () => void): void {
    try {
      work()
    } catch (error) {
      throw new CommandFailed(
        `The invalid lines cannot be written to ${escapeControls(this.path)}: ${reasonOf(error)}.`,
      )
    }
  }
}

/** Copies the bytes from the offset `from` to the offset `to`. */
function copy({ source, target }: Descriptors, from: number, to: number): void {
  const bytes = new Uint8Array(to - from)
  let read = 0
  while (read < bytes.length) {
    const count = readSync(source, bytes, read, bytes.length - read, from + read)
    if (count === 0) throw new Error('the file of the import became shorter')
    read += count
  }
  for (let written = 0; written < bytes.length; ) written += writeSync(target, bytes, written)
}
