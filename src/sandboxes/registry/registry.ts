import { Database } from 'bun:sqlite'
import { reserveFile } from '../../files/private-file.ts'
import { refusalOfFullDisk } from './full-disk.ts'

/** What the host stores about a sandbox, apart from its content. Instants are in milliseconds since 1970. */
export interface SandboxRecord {
  readonly id: string
  readonly label: string
  /** The seed that the sandbox is reset to: the name of a seed, or `{sandboxId}/{name}` of a snapshot. */
  readonly seed: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** 1, and one more after each reset. */
  readonly generation: number
  /** The SHA-256 of the key of the sandbox. */
  readonly keyHash: string
  /** The last characters of the key. */
  readonly keyHint: string
  /** How far the lifecycle clock is ahead of the real time; 0 if it is the real time. */
  readonly clockAheadMs: number
  /** The fault rules with their counts, as JSON; empty if there are none. */
  readonly faults: string
  /** The planted faults with their report, as JSON; absent if none are planted. */
  readonly planted?: string
  /** The boot id of the machine when the database was last opened; empty if the database must be checked. */
  readonly bootId: string
  /** Whether the database was found to be damaged. */
  readonly isDamaged: boolean
  /** The class that the sandbox belongs to; absent if it belongs to none. */
  readonly classId?: string
  /** Keys of the store that were made until then are revoked, also in a snapshot; absent if none are. */
  readonly keysRevokedAtMs?: number | undefined
}

/** The kinds of records. */
const tables = ['sandbox', 'class', 'student'] as const
type Table = (typeof tables)[number]

/** The database in which a host registers its sandboxes and classes. Its writes throw `storage_full` on a full disk. */
export class Registry {
  readonly #database: Database

  constructor(file: string) {
    reserveFile(file)
    this.#database = new Database(file, { create: true, strict: true })
    this.#database.run('PRAGMA journal_mode = WAL')
    // With NORMAL, a power failure could take back what a student was told.
    this.#database.run('PRAGMA synchronous = FULL')
    this.#database.run(
      'CREATE TABLE IF NOT EXISTS host (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT',
    )
    for (const table of tables)
      this.#database.run(
        `CREATE TABLE IF NOT EXISTS ${table} (id TEXT NOT NULL PRIMARY KEY, record TEXT NOT NULL) STRICT`,
      )
  }

  all(): SandboxRecord[] {
    // Safe: only a host writes this table.
    return this.records('sandbox') as SandboxRecord[]
  }

  /** Returns the records of a table, as `putRecords` wrote them. */
  records(table: Table): unknown[] {
    const rows = this.#database.query<{ record: string }, []>(`SELECT record FROM ${table}`).all()
    return rows.map(({ record }) => JSON.parse(record))
  }

  /** Writes records in one durable commit. */
  putRecords(table: Table, records: readonly { readonly id: string }[]): void {
    const put = this.#database.query(
      `INSERT INTO ${table} (id, record) VALUES ($id, $record) ON CONFLICT (id) DO UPDATE SET record = $record`,
    )
    this.inOneCommit(() => {
      for (const record of records) put.run({ id: record.id, record: JSON.stringify(record) })
    })
  }

  /** Runs writes in one durable commit. */
  inOneCommit(write: () => void): void {
    try {
      this.#database.transaction(write)()
    } catch (error) {
      throw refusalOfFullDisk(error)
    }
  }

  deleteRecords(table: Table, ids: readonly string[]): void {
    const remove = this.#database.query(`DELETE FROM ${table} WHERE id = $id`)
    this.inOneCommit(() => {
      for (const id of ids) remove.run({ id })
    })
  }

  /** Returns the value that is stored under a name, or stores and returns the value of `make`. */
  getOrCreateValue(name: string, make: () => string): string {
    const known = this.#database
      .query<{ value: string }, { name: string }>('SELECT value FROM host WHERE name = $name')
      .get({ name })
    if (known) return known.value
    const value = make()
    this.#database.query('INSERT INTO host (name, value) VALUES ($name, $value)').run({ name, value })
    return value
  }

  close(): void {
    this.#database.close()
  }
}
