/** The migrations that the program knows, as SQL. A migration's number is its position in the list; the first is 1. */
export type Migrations = readonly string[]

/** A database to migrate. The caller keeps other migrators out. */
export interface Migratable {
  /** Returns the number of the last migration that ran; 0 for an empty database. */
  version(): Promise<number> | number
  /** Runs a script of several statements and records its number, in one transaction. */
  apply(script: string, version: number): Promise<void> | void
}

/** Thrown if a database was created by a later release of this program. */
export class NewerDatabase extends Error {}

/**
 * Brings a database to the current tables, one migration at a time.
 * Throws NewerDatabase, before changing anything, if the database has more migrations than the program knows.
 */
export async function migrate(database: Migratable, migrations: Migrations): Promise<void> {
  const version = await database.version()
  if (version > migrations.length) throw newerDatabase(version, migrations.length)
  for (const [index, script] of migrations.entries()) {
    if (index >= version) await database.apply(script, index + 1)
  }
}

export function newerDatabase(version: number, known: number): NewerDatabase {
  return new NewerDatabase(
    `The database is at version ${version}, created by a newer petstore; this one supports versions up to ${known}.`,
  )
}
