import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { lineEndAfter, type RecordText } from '../../catalogue/catalogue-file.ts'
import { CommandFailed, escapeControls, reasonOf } from '../terminal/terminal.ts'

/** The path of each file of an import; undefined if there is no such file. */
export interface ImportPaths {
  readonly categories?: string | undefined
  readonly pets?: string | undefined
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
 * Writes the header and the invalid lines of a file, unchanged, to a new file in UTF-8, so that the lines can be
 * corrected and imported. Without an invalid line, there is no new file. `add` throws CommandFailed if the file cannot
 * be written.
 */
export class RejectedLines {
  readonly path: string
  #descriptor: number | undefined
  #lineEnd = ''

  /** Throws CommandFailed if `path` exists. */
  constructor(path: string) {
    this.path = path
    if (existsSync(path))
      throw new CommandFailed(`${escapeControls(resolve(path))} exists: --rejects needs a new file.`, 2)
  }

  add({ head, text }: RecordText): void {
    try {
      const isNew = this.#descriptor === undefined
      this.#descriptor ??= openSync(this.path, 'wx')
      writeFileSync(this.#descriptor, (isNew ? head : this.#lineEnd) + text)
      this.#lineEnd = lineEndAfter(text)
    } catch (error) {
      throw new CommandFailed(
        `The invalid lines cannot be written to ${escapeControls(this.path)}: ${reasonOf(error)}.`,
      )
    }
  }

  /** Closes the new file, and returns whether it exists. */
  close(): boolean {
    if (this.#descriptor === undefined) return false
    closeSync(this.#descriptor)
    return true
  }

  /** Closes and deletes the new file. */
  discard(): void {
    if (this.close()) rmSync(this.path, { force: true })
  }
}
