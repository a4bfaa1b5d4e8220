import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { hasCode } from './system-error.ts'

/** The codes of a call that a file system does not have, such as exFAT, FAT, SMB or a shared folder. */
const NOT_SUPPORTED = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EMLINK'] as const

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
  giveToOwnerOfDirectory(file)
}

/**
 * Gives a file of the superuser to the owner of its directory: a command that an administrator runs must not leave a
 * file that the service of the directory cannot open.
 */
function giveToOwnerOfDirectory(file: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(file))
  if (uid !== 0 && statSync(file).uid === 0) chownSync(file, uid, gid)
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
    giveToOwnerOfDirectory(temporary)
    if (replace) renameSync(temporary, file)
    else publishNew(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
  syncDirectory(dirname(file))
}

/** Gives a complete file its name. Throws EEXIST if a file has the name. */
function publishNew(temporary: string, file: string): void {
  try {
    linkSync(temporary, file)
  } catch (error) {
    if (!hasCode(error, ...NOT_SUPPORTED)) throw error
    // Without links, an empty file reserves the name until the complete one replaces it.
    closeSync(openSync(file, 'wx', 0o600))
    renameSync(temporary, file)
  }
}

/** Lets only the owner of a file read it. Does nothing on a file system without modes. */
export function makePrivate(file: string): void {
  try {
    chmodSync(file, 0o600)
  } catch (error) {
    if (!hasCode(error, ...NOT_SUPPORTED)) throw error
  }
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

/** Makes the entries of a directory durable. Does nothing on a system or a file system without such a call. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } catch (error) {
    if (!hasCode(error, ...NOT_SUPPORTED)) throw error
  } finally {
    closeSync(descriptor)
  }
}
