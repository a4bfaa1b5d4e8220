import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { reserveFile } from '../../files/private-file.ts'
import { hasCode } from '../../files/system-error.ts'

/** What a database must have at its next start. It is kept in a file next to the database. */
export interface RunRecord {
  /** The numbers that the database may have: one, or several while its log is moved. */
  readonly numbers: readonly number[]
  /** The position of the last committed event. */
  readonly position: bigint
}

/** The file always has this size, so that it can be written on a full disk, and a part of it is not taken for it. */
const BYTES = 128
const FORM = /^numbers((?: \d+)+) position (\d+) *\n$/

export function recordFile(file: string): string {
  return `${file}-run`
}

/** Returns the record of a database; undefined if there is none, or if it is incomplete. */
export function readRecord(file: string): RunRecord | undefined {
  try {
    const text = readFileSync(recordFile(file), 'latin1')
    const [, numbers, position] = FORM.exec(text) ?? []
    if (numbers === undefined || position === undefined || text.length !== BYTES) return undefined
    return { numbers: numbers.trim().split(' ').map(Number), position: BigInt(position) }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Writes the record of a database, and makes it durable. */
export function writeRecord(file: string, record: RunRecord): void {
  reserveFile(recordFile(file))
  const descriptor = openSync(recordFile(file), 'r+')
  try {
    writeSync(descriptor, textOf(record), 0, 'latin1')
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Writes the record after each commit, without a sync: a sync would double the price of a commit. The log has been
 * synced before, so after a power failure the record may be older than the log, but never newer.
 */
export class CommitRecord implements Disposable {
  readonly #descriptor: number

  /** The record of the file exists. */
  constructor(file: string) {
    this.#descriptor = openSync(recordFile(file), 'r+')
  }

  /** On a full disk the record stays older than the log. The commit has its place there, and counts. */
  note(record: RunRecord): void {
    try {
      writeSync(this.#descriptor, textOf(record), 0, 'latin1')
    } catch (error) {
      if (!hasCode(error, 'ENOSPC', 'EDQUOT')) throw error
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor)
  }
}

function textOf({ numbers, position }: RunRecord): string {
  return `${`numbers ${numbers.join(' ')} position ${position}`.padEnd(BYTES - 1)}\n`
}
