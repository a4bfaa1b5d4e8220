import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Creates a directory that only its owner can enter. An existing directory keeps its mode. */
export function makeDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
}

/**
 * Creates an empty file that only its owner can read, unless the file exists. SQLite would create a file that everyone
 * can read.
 */
export function reserveFile(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
}

/**
 * Writes a file that only its owner can read. The file appears under its name complete and durable, or not at all.
 * Throws the errors of the file system: EEXIST if `replace` is false and the file exists.
 */
export function writeWholeFile(file: string, text: string, { replace }: { replace: boolean }): void {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    rmSync(temporary, { force: true })
    const descriptor = openSync(temporary, 'wx', 0o600)
    try {
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    if (replace) renameSync(temporary, file)
    else linkSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
  syncDirectory(dirname(file))
}

/** Syncs `temporary`, which was written without a sync, and renames it to `file`. */
export function publishFile(temporary: string, file: string): void {
  syncFile(temporary)
  renameSync(temporary, file)
  syncDirectory(dirname(file))
}

/** Makes the content of a file durable. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Makes the entries of a directory durable. Does nothing on Windows, which has no such call. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
