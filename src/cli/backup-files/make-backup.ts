import { existsSync, realpathSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { draftOf } from '../../files/draft.ts'
import { makeDirectory, writeWholeFile } from '../../files/private-file.ts'
import type { BackupFacts } from '../../transfer/sqlite-backup.ts'
import { formatInstantMs } from '../../values/instant.ts'
import { escapeControls } from '../terminal/terminal.ts'
import { findAuditProblem } from './audit-problem.ts'
import {
  DATABASE_FILE,
  describeFile,
  MANIFEST_FILE,
  manifestHead,
  manifestText,
  SECRET_KEY_FILE,
} from './backup-manifest.ts'
import { publish } from './new-directory.ts'

interface BackupRequest {
  /** The directory of the backup: a new one, or an empty one. */
  readonly to: string
  readonly signal: AbortSignal
  /** Writes the database into the draft. */
  readonly copyDatabase: (draft: string) => Promise<{ facts: BackupFacts; engine: 'sqlite' | 'postgres' }>
  /** Checks the whole draft before it gets its name. If it throws, there is no backup. */
  readonly verify?: (draft: string) => Promise<void>
  /** The secret key, if the backup includes it. */
  readonly secretKey?: Uint8Array | undefined
  /** Called with the size of the database. Returns what receives the number of bytes of each chunk that is hashed. */
  readonly startHashing?: (bytes: number) => { onBytes: (count: number) => void } & Disposable
}

/** A backup that was made. */
export interface NewBackup {
  /** When it began, as RFC 3339 text in UTC. */
  readonly at: string
  readonly facts: BackupFacts
  readonly bytes: number
  /** The first problem of the audit log; undefined if it is intact. */
  readonly auditProblem: string | undefined
}

const silent = () => ({ onBytes: () => {}, [Symbol.dispose]: () => {} })

/**
 * Makes a backup: a directory with a database and a manifest, which has the name `to` only when it is complete. Throws
 * CommandFailed if another program writes files there meanwhile, the reason of `signal`, and the errors of the copy.
 */
export async function makeBackup(options: BackupRequest): Promise<NewBackup> {
  const { to, signal, secretKey, startHashing = silent } = options
  const at = formatInstantMs(Date.now())
  // A rename replaces an empty directory, but not a link to one.
  const target = existsSync(to) ? realpathSync(to) : resolve(to)
  const draft = draftOf(target)
  try {
    makeDirectory(draft)
    const { facts, engine } = await options.copyDatabase(draft)
    const keyFile = join(draft, SECRET_KEY_FILE)
    if (secretKey !== undefined)
      writeWholeFile(keyFile, `${Buffer.from(secretKey).toString('base64')}\n`, { replace: false })
    const auditProblem = await findAuditProblem(draft, signal)
    const file = join(draft, DATABASE_FILE)
    using hashing = startHashing(Bun.file(file).size)
    const hashed = { signal, onBytes: hashing.onBytes }
    const database = await describeFile(file, hashed)
    const files = {
      [DATABASE_FILE]: database,
      ...(secretKey !== undefined && { [SECRET_KEY_FILE]: await describeFile(keyFile, hashed) }),
    }
    const head = manifestHead(facts.head)
    const manifest = { createdAt: at, engine, databaseVersion: facts.version, head, files }
    writeWholeFile(join(draft, MANIFEST_FILE), manifestText(manifest), { replace: false })
    await options.verify?.(draft)
    publish(draft, target, escapeControls(to))
    return { at, facts, bytes: database.bytes, auditProblem }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
