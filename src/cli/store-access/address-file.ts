import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isDirectoryLocked } from '../../database/sqlite/data-lock.ts'
import { isAlive } from '../../files/alive.ts'
import { writeWholeFile } from '../../files/private-file.ts'
import { reasonOf, say } from '../terminal/terminal.ts'

/** The file always has this size and is never removed, so that it can be written on a full disk. */
const FILE_BYTES = 512

/**
 * Writes the local address of the store and the id of this process to a file in the data directory. If that fails, the
 * store serves all the same: only commands on this machine need the file.
 */
export function writeAddressFile(directory: string, address: string): void {
  const file = addressFile(directory)
  try {
    writeContent(file, `${address}\n${process.pid}\n`)
  } catch (error) {
    const reason = `The address of the store cannot be written to ${file}: ${reasonOf(error)}.`
    say(`${reason} Commands such as "petstore import" will not find the running store.`)
  }
}

/** Removes the address of this process, or of a process that has ended, from its file. */
export function removeAddressFile(directory: string): void {
  try {
    if (existsSync(addressFile(directory))) writeContent(addressFile(directory), '')
  } catch {
    // A leftover file names a process that has ended, so it is ignored.
  }
}

function writeContent(file: string, text: string): void {
  const content = text.padEnd(FILE_BYTES, ' ')
  if (statSync(file, { throwIfNoEntry: false })?.size !== FILE_BYTES) {
    writeWholeFile(file, content, { replace: true })
    return
  }
  const descriptor = openSync(file, 'r+')
  try {
    writeSync(descriptor, content, 0)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Returns the address of the store that has a data directory open. Returns undefined if there is no address file, if
 * its process has ended, or if no process has the directory open.
 */
export function readAddressFile(directory: string): string | undefined {
  try {
    const [address = '', pid = ''] = readFileSync(addressFile(directory), 'utf8').split('\n')
    // Another program may have got the id of a killed process: it must not get a key, so the lock is checked too.
    const isPublished = address.startsWith('http://') && isAlive(Number(pid)) && isDirectoryLocked(directory)
    return isPublished ? address : undefined
  } catch {
    return undefined
  }
}

function addressFile(directory: string): string {
  return join(directory, 'address')
}
