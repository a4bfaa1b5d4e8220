import { randomUUID } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { overloaded } from '../../contract/refusals.ts'
import { databaseFile } from '../../database/sqlite/database-file.ts'
import { sql } from '../../database/statement.ts'
import { draftOf } from '../../files/draft.ts'
import type { StoreEngine } from '../../serving/open.ts'
import type { ServerOptions } from '../../serving/server.ts'
import { hasEncryptedSecret } from '../../shop/webhooks/verbs.ts'
import { parseInstantMs } from '../../values/instant.ts'
import type { BackupOnDisk } from './console-backup-file.ts'
import { findRecords, recordBackup } from './last-backup.ts'
import type { BackupCounts } from './nightly-backups.ts'

/** The size up to which a browser saves a database: it may hold the whole file in memory. */
const BYTES_MAX = 512 * 1_048_576
/** How long a file that was made can be saved, in milliseconds. */
const KEPT_MS = 15 * 60_000

const readAges = sql<{ since: string | null; restoredAt: string | null }>()(`
  SELECT (SELECT min(created_at) FROM api_key) AS since, (SELECT max(at) FROM chain_gap) AS "restoredAt"`)

type Backups = NonNullable<ServerOptions['backups']>

interface HeldBackup extends BackupOnDisk {
  readonly id: string
  readonly directory: string
}

/** Makes backups for the console, one at a time. Each is a file in the data directory for some minutes. */
class BackupMaker implements Backups {
  readonly #engine: StoreEngine
  readonly #config: Config
  readonly #nightly: Readonly<BackupCounts> | undefined
  #making: { readonly id: string; readonly made: Promise<HeldBackup> } | undefined
  #held: HeldBackup | undefined

  constructor(engine: StoreEngine, config: Config, nightly: Readonly<BackupCounts> | undefined) {
    this.#engine = engine
    this.#config = config
    this.#nightly = nightly
  }

  async state() {
    const { readShort, name } = this.#engine
    const { backup } = await readShort(reader => findRecords(reader, this.#config))
    const ages = await readShort(async reader => reader.one(readAges))
    const bytes = name === 'sqlite' ? statSync(databaseFile(this.#config.data)).size : undefined
    return {
      lastBackupAt: backup?.at ?? null,
      since: ages?.since ?? null,
      restoredAt: ages?.restoredAt ?? null,
      hasSecrets: await readShort(hasEncryptedSecret),
      isFileOffered: bytes !== undefined && bytes <= BYTES_MAX,
      engine: name,
    }
  }

  async records() {
    const { readShort } = this.#engine
    const { backup, auditCheck, drill } = await readShort(reader => findRecords(reader, this.#config))
    return {
      lastBackupMs: backup && parseInstantMs(backup.at),
      lastDrillMs: drill && parseInstantMs(drill.at),
      lastAuditCheckMs: auditCheck && parseInstantMs(auditCheck.at),
      isAuditLogIntact: auditCheck?.isAuditIntact,
      nightlyBackups: this.#nightly,
    }
  }

  async make(id: string): Promise<HeldBackup> {
    if (this.#held?.id === id) return this.#held
    if (this.#making && this.#making.id !== id)
      throw overloaded('Another backup is being made: try again when it is saved.', 5)
    this.#making ??= { id, made: this.#replaceHeld(id) }
    return await this.#making.made
  }

  async #replaceHeld(id: string): Promise<HeldBackup> {
    this.dispose()
    try {
      if (!(await this.state()).isFileOffered)
        throw overloaded('The store is too large for a browser, or on PostgreSQL: run "petstore backup".', 60)
      const directory = draftOf(draftPath(this.#config))
      // Few stores need its modules.
      const { makeBackupFile } = await import('./console-backup-file.ts')
      const held = { ...(await makeBackupFile(databaseFile(this.#config.data), directory)), id, directory }
      this.#held = held
      setTimeout(() => this.#held === held && this.dispose(), KEPT_MS).unref()
      return held
    } finally {
      this.#making = undefined
    }
  }

  file(id: string): string | undefined {
    return this.#held?.id === id ? this.#held.file : undefined
  }

  async confirm(id: string): Promise<boolean> {
    if (this.#held?.id !== id) return false
    await recordBackup(this.#config, this.#held)
    return true
  }

  dispose(): void {
    const { directory } = this.#held ?? {}
    this.#held = undefined
    try {
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
    } catch {
      // Windows keeps a file that a browser still reads. A draft of the next process in this directory removes it.
    }
  }
}

/** Returns the backups that the console makes of a store which this process serves. */
export function consoleBackups(
  engine: StoreEngine,
  config: Config,
  nightly: Readonly<BackupCounts> | undefined,
): Backups {
  // It also removes the file of a process that was killed.
  if (engine.name === 'sqlite') draftOf(draftPath(config))
  return new BackupMaker(engine, config, nightly)
}

function draftPath({ data }: Config): string {
  return join(data, `backup-${randomUUID()}`)
}
