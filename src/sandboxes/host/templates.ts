import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { storageFull } from '../../contract/refusals.ts'
import { SqliteConnection } from '../../database/sqlite/connection.ts'
import { versionOf } from '../../database/sqlite/engine.ts'
import { DamagedDatabase, openLightSqlite } from '../../database/sqlite/light-engine.ts'
import { sql } from '../../database/statement.ts'
import type { TimeSlices } from '../../database/time-slices.ts'
import { reserveFile } from '../../files/private-file.ts'
import type { StoreEngine } from '../../serving/open.ts'
import type { Reply } from '../../shop/kernel/idempotency.ts'
import { newKey } from '../../shop/keys/key-text.ts'
import { replaceFirstKey, revokeKeysMadeUntil } from '../../shop/keys/verbs.ts'
import { type Command, type CommandResult, systemCommand } from '../../shop/registry/commands.ts'
import type { Query } from '../../shop/registry/queries.ts'
import { executeCommand, executeQuery } from '../../shop/registry/run.ts'
import { storedInstant } from '../../values/instant.ts'
import type { SeedName } from '../contract/schema.ts'
import type { SandboxRecord } from '../registry/registry.ts'
import { removeOrigin } from './foreign-content.ts'

export type LoadSeed = (seed: SeedName, engine: StoreEngine, clock: () => number) => Promise<void>

interface TemplatesOptions {
  readonly directory: string
  readonly loadSeed: LoadSeed
  readonly slices: TimeSlices
  readonly clock: () => number
}

/** The maximum size of a template: larger than that of a sandbox. */
const TEMPLATE_BYTES_MAX = 1024 ** 3

/** The files that new sandboxes are copied from: one for each seed, built when it is first needed. */
export class Templates {
  readonly #options: TemplatesOptions
  readonly #files = new Map<SeedName, Promise<string>>()

  constructor(options: TemplatesOptions) {
    this.#options = options
  }

  /** Returns the file of a seed: a complete store with an empty write-ahead log. */
  file(seed: SeedName): Promise<string> {
    let file = this.#files.get(seed)
    if (!file) {
      file = this.#build(seed).catch(error => {
        this.#files.delete(seed)
        throw error
      })
      this.#files.set(seed, file)
    }
    return file
  }

  async #build(seed: SeedName): Promise<string> {
    const { directory } = this.#options
    const file = join(directory, `${seed}.db`)
    const unfinished = `${file}.new`
    // A different version of the program may have written the existing template.
    await removeDatabase(file)
    await removeDatabase(unfinished)
    try {
      reserveFile(unfinished)
      await this.#fill(seed, unfinished)
      await rename(unfinished, file)
    } finally {
      // After an error, for example on a full disk, nothing remains of the template.
      await removeDatabase(unfinished)
    }
    return file
  }

  async #fill(seed: SeedName, file: string): Promise<void> {
    const { loadSeed, slices, clock } = this.#options
    const engine = await openLightSqlite<Query, Command, Reply, CommandResult>({
      file,
      executeCommand,
      executeQuery,
      slices,
      checks: false,
      bytesMax: TEMPLATE_BYTES_MAX,
      refuseFull: storageFull,
      onFatal: () => {},
    })
    try {
      // Nobody knows the first key of a template.
      const install = { token: newKey(), madeBy: 'first start' }
      await engine.execute(systemCommand('installAdminKey', install, storedInstant(clock()), 'petstore'))
      await loadSeed(seed, engine, clock)
    } finally {
      await engine.close()
    }
  }
}

export async function removeDatabase(file: string): Promise<void> {
  await Promise.all([rm(file, { force: true }), removeJournals(file)])
}

/** Deletes the files that SQLite keeps next to a database, if they exist. */
export async function removeJournals(file: string): Promise<void> {
  await Promise.all(['-wal', '-shm', '-journal'].map(suffix => rm(`${file}${suffix}`, { force: true })))
}

/** The event ids of the first generation are below this, those of the second one below twice this, and so on. */
const EVENT_IDS_PER_GENERATION = 1_000_000_000n

const moveEventIds = sql()(`
  UPDATE counter SET last = last % ${EVENT_IDS_PER_GENERATION} + $start WHERE noun = 'event'`)

/** What a sandbox knows of its keys. */
type KeyRecord = Pick<SandboxRecord, 'keyHash' | 'keyHint' | 'keysRevokedAtMs'>

/** What makes a copy the content of one sandbox. */
export interface Adoption extends KeyRecord, Pick<SandboxRecord, 'id' | 'generation' | 'classId'> {
  /** Whether the copy comes from another sandbox: see `removeOrigin`. */
  readonly isForeign: boolean
}

/**
 * Makes a copy of a template or of a snapshot the content of a sandbox. Its first key gets the secret of the sandbox.
 * Its event ids continue in the range of the generation, because receivers discard event ids that they have seen.
 * Throws DamagedDatabase, or the error of SQLite for a damaged file.
 */
export async function adoptCopy(file: string, adoption: Adoption, slices: TimeSlices): Promise<void> {
  const { generation, isForeign } = adoption
  const connection = new SqliteConnection(file, { readonly: false, isLight: true })
  try {
    if (versionOf(connection) === 0) throw new DamagedDatabase(`${file} has no store`)
    connection.database.run('BEGIN IMMEDIATE')
    await adoptKeys(connection, adoption)
    connection.run(moveEventIds, { start: BigInt(generation - 1) * EVENT_IDS_PER_GENERATION })
    if (isForeign) await removeOrigin(connection, slices)
    connection.database.run('COMMIT')
  } finally {
    connection.close()
  }
}

/** Gives a closed store the key of its sandbox, and revokes the keys that were made before that. */
export async function replaceKeys(file: string, record: KeyRecord): Promise<void> {
  const connection = new SqliteConnection(file, { readonly: false, isLight: true, isSynced: true })
  try {
    connection.database.run('BEGIN IMMEDIATE')
    await adoptKeys(connection, record)
    connection.database.run('COMMIT')
  } finally {
    connection.close()
  }
}

async function adoptKeys(
  connection: SqliteConnection,
  { keyHash: hash, keyHint: hint, keysRevokedAtMs }: KeyRecord,
): Promise<void> {
  await replaceFirstKey(connection, { hash, hint })
  if (keysRevokedAtMs !== undefined) await revokeKeysMadeUntil(connection, storedInstant(keysRevokedAtMs))
}
