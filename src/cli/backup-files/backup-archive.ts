import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { makeDirectory, reserveFile } from '../../files/private-file.ts'
import { CommandFailed, escapeControls, reasonOf } from '../terminal/terminal.ts'
import { DATABASE_FILE, MANIFEST_FILE } from './backup-manifest.ts'

/** A backup as one file: a tar archive of the files of its directory, and of the SHA-256 of all bytes before it. */
const MEMBERS: readonly string[] = [MANIFEST_FILE, DATABASE_FILE]
const HASH_FILE = 'sha256'
const BLOCK = 512
/** The header and the block of the hash, and the two empty blocks at the end of an archive. */
const END_BYTES = 4 * BLOCK

/** Returns the header of a file (POSIX.1-2024, ustar). It depends on nothing else, so a reader can compare it. */
function headerOf(name: string, bytes: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  header.write(name)
  header.write('0000600\x000000000\x000000000\x00', 100)
  header.write(`${bytes.toString(8).padStart(11, '0')}\x00${'0'.repeat(11)}\x00        0`, 124)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\x00`, 148)
  return header
}

function endOf(sha256: string): Buffer {
  const end = Buffer.alloc(END_BYTES)
  headerOf(HASH_FILE, sha256.length).copy(end)
  end.write(sha256, BLOCK)
  return end
}

/** Returns the number of bytes that a file of this size takes, without its header. */
function wholeBlocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK
}

/** Writes the files of a backup, without a secret key, as one new file that only its owner can read. */
export async function writeArchive(directory: string, file: string): Promise<void> {
  reserveFile(file)
  const sink = Bun.file(file).writer()
  const hash = createHash('sha256')
  const put = async (bytes: Uint8Array): Promise<void> => {
    hash.update(bytes)
    sink.write(bytes)
    await sink.flush()
    // A request of the running store waits for no more than one chunk.
    await nextTurn()
  }
  for (const name of MEMBERS) {
    const member = Bun.file(join(directory, name))
    await put(headerOf(name, member.size))
    for await (const chunk of member.stream()) await put(chunk)
    await put(Buffer.alloc(wholeBlocks(member.size) - member.size))
  }
  sink.write(endOf(hash.digest('hex')))
  await sink.end()
}

/**
 * Makes the directory of a backup from one file. Throws CommandFailed if the file is no backup, is cut off or was
 * changed, and the reason of `signal` if it is aborted.
 */
export async function unpackArchive(file: string, directory: string, signal: AbortSignal): Promise<void> {
  const name = escapeControls(file)
  try {
    if (!firstBlock(file).equals(headerOf(MANIFEST_FILE, sizeIn(firstBlock(file)))))
      throw new CommandFailed(
        `${name} is not a backup: specify a file that the console saved, or a directory.`,
      )
    const { size } = statSync(file)
    const whole = Bun.file(file)
    const hash = createHash('sha256')
    for await (const chunk of whole.slice(0, Math.max(0, size - END_BYTES)).stream()) {
      signal.throwIfAborted()
      hash.update(chunk)
    }
    const sha256 = hash.digest('hex')
    const end = Buffer.from(await whole.slice(Math.max(0, size - END_BYTES)).arrayBuffer())
    if (!endOf(sha256).equals(end))
      throw new CommandFailed(
        `The backup ${name} is cut off or was changed: save it again, or use another one.`,
      )
    makeDirectory(directory)
    let at = 0
    for (const member of MEMBERS) {
      const bytes = sizeIn(Buffer.from(await whole.slice(at, at + BLOCK).arrayBuffer()))
      await copyPart(whole.slice(at + BLOCK, at + BLOCK + bytes), join(directory, member), signal)
      at += BLOCK + wholeBlocks(bytes)
    }
  } catch (error) {
    if (error instanceof CommandFailed || signal.aborted) throw error
    throw new CommandFailed(`The backup ${name} cannot be read: ${reasonOf(error)}.`)
  }
}

/** `Bun.write` would copy the whole file of a part. */
async function copyPart(part: Blob, file: string, signal: AbortSignal): Promise<void> {
  reserveFile(file)
  const sink = Bun.file(file).writer()
  for await (const chunk of part.stream()) {
    signal.throwIfAborted()
    sink.write(chunk)
    await sink.flush()
  }
  await sink.end()
}

function firstBlock(file: string): Buffer {
  const block = Buffer.alloc(BLOCK)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, block)
  } finally {
    closeSync(descriptor)
  }
  return block
}

/** Returns the size that a header names; 0 if it names none. */
function sizeIn(header: Buffer): number {
  return Number.parseInt(header.toString('latin1', 124, 135), 8) || 0
}
