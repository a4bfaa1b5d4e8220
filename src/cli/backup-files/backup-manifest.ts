import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import type { ChainEntry } from '../../database/numbering/chain.ts'
import { hasCode } from '../../files/system-error.ts'
import { parseInstantMs } from '../../values/instant.ts'
import { CommandFailed, escapeControls, reasonOf } from '../terminal/terminal.ts'

/** The names of the files in the directory of a backup. */
export const MANIFEST_FILE = 'manifest.json'
export const DATABASE_FILE = 'petstore.db'
export const SECRET_KEY_FILE = 'secret-key'

/** The number of this format. Backups with any other number are refused. */
const FORMAT = 1
const MANIFEST_BYTES_MAX = 65_536

export const BackupFile = z.strictObject({
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

const Manifest = z.object({
  format: z.literal(FORMAT),
  /** When the backup began. */
  createdAt: z.string().refine(text => parseInstantMs(text) !== undefined),
  /** The engine of the store. The database file of a backup is a SQLite database in either case. */
  engine: z.enum(['sqlite', 'postgres']),
  /** The number of the last migration of the database file. */
  databaseVersion: z.int().positive(),
  /** The last entry of the audit log, with its position as text; null if its table had no row for it. */
  head: z.strictObject({ position: z.string().regex(/^\d{1,18}$/), hash: z.string().max(43) }).nullable(),
  files: z.strictObject({ [DATABASE_FILE]: BackupFile, [SECRET_KEY_FILE]: BackupFile.optional() }),
})

export type Manifest = z.infer<typeof Manifest>
type BackupFile = z.infer<typeof BackupFile>

/** Returns the last entry of the audit log as a manifest has it. */
export function manifestHead(head: ChainEntry | undefined): Manifest['head'] {
  return head ? { position: String(head.position), hash: head.hash } : null
}

/** Returns the text of a manifest, with the number of the format added. */
export function manifestText(manifest: Omit<Manifest, 'format'>): string {
  return `${JSON.stringify({ format: FORMAT, ...manifest }, undefined, 2)}\n`
}

/** Reads the manifest of a backup. Throws CommandFailed if it is missing, damaged or of another format. */
export function readManifest(directory: string): Manifest {
  const name = escapeControls(resolve(directory))
  let content: unknown
  try {
    const file = join(directory, MANIFEST_FILE)
    // Reading a pipe would block until its other end is opened.
    const { size } = requireFile(file)
    if (size > MANIFEST_BYTES_MAX) throw new Error(`it has ${size} bytes`)
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const hint = 'Specify the directory that "petstore backup" made.'
    if (hasCode(error, 'ENOENT', 'ENOTDIR'))
      throw new CommandFailed(`${name} is not a backup: it has no ${MANIFEST_FILE}. ${hint}`)
    throw new CommandFailed(`The ${MANIFEST_FILE} of ${name} cannot be read: ${reasonOf(error)}.`)
  }
  if (typeof content === 'object' && content !== null && 'format' in content && content.format !== FORMAT) {
    throw new CommandFailed(
      `The backup in ${name} has a format that this petstore does not know: use a newer petstore.`,
    )
  }
  const parsed = Manifest.safeParse(content)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new CommandFailed(
    `The ${MANIFEST_FILE} of ${name} is damaged: ${issue?.path.join('.') || 'its content'} is not valid.`,
  )
}

/**
 * Returns the size of a file and its SHA-256. `onBytes` receives the number of bytes of each chunk. Throws the reason
 * of `signal` and the errors of the file system.
 */
export async function describeFile(
  file: string,
  { signal, onBytes }: { signal: AbortSignal; onBytes: (count: number) => void },
): Promise<BackupFile> {
  const hash = createHash('sha256')
  let bytes = 0
  requireFile(file)
  for await (const chunk of Bun.file(file).stream()) {
    signal.throwIfAborted()
    hash.update(chunk)
    bytes += chunk.length
    onBytes(chunk.length)
    // A running store hashes too, and a request waits for no more than one chunk.
    await nextTurn()
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Returns the status of a regular file. Throws an Error if it is something else. */
function requireFile(file: string): { readonly size: number } {
  const status = statSync(file)
  if (!status.isFile()) throw new Error('it is not a file')
  return status
}

/**
 * Throws CommandFailed, which says the `name` of the backup, unless every file is there and has the content that the
 * manifest describes. Throws the reason of the signal if it is aborted.
 */
export async function verifyBackup(
  directory: string,
  { files }: Manifest,
  progress: { signal: AbortSignal; onBytes: (count: number) => void },
  name = directory,
): Promise<void> {
  for (const [file, expected] of Object.entries(files)) {
    if (expected === undefined) continue
    const found = await describeFile(join(directory, file), progress).catch(error => {
      if (progress.signal.aborted) throw error
      throw new CommandFailed(`${escapeControls(directory)}/${file} cannot be read: ${reasonOf(error)}.`)
    })
    if (found.bytes !== expected.bytes || found.sha256 !== expected.sha256) {
      throw new CommandFailed(
        `The backup in ${escapeControls(name)} is damaged: ${file} is not the file that was backed up.`,
      )
    }
  }
}
