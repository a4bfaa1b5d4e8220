import type { Reader } from './engine.ts'
import { type StatementCall, sql } from './statement.ts'

/** Called from time to time during a migration that takes long, with a line for the person who waits. */
export type OnProgress = (line: string) => void

/** The transaction of a migration. */
interface MigrationTx extends Reader {
  run<Name extends string>(...call: StatementCall<unknown, Name>): number | Promise<number>
}

/** The part of a migration that computes values which SQL cannot compute. It runs after its script. */
type MigrationStep = (tx: MigrationTx, onProgress: OnProgress) => Promise<void>

/** A database to migrate. The caller keeps other migrators out. */
interface Migratable {
  /** Returns the number of the last script that ran; 0 for an empty database. */
  version(): Promise<number> | number
  /** Returns what `migrate` has recorded: the least number of a program that works with the tables. */
  compatibleFrom(): Promise<number | undefined> | number | undefined
  /** Runs a script of several statements and its step, and records its number, in one transaction. */
  apply(script: string, version: number, step: (tx: MigrationTx) => Promise<void>): Promise<void>
}

/** Thrown if this program does not know the tables of a database. The message consists of sentences. */
export class UnsupportedVersion extends Error {}

/** Thrown if a database lacks migrations that this program has. */
export class UnmigratedDatabase extends UnsupportedVersion {}

const readCompatible = sql<{ value: string }>()(`SELECT value FROM metadata WHERE name = 'compatible-from'`)

const recordCompatible = sql()(`
  INSERT INTO metadata (name, value) VALUES ('compatible-from', $value)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`)

/** Returns the recorded number of the first program that works with the tables; undefined if none is recorded. */
export async function readCompatibleFrom(reader: Reader): Promise<number | undefined> {
  const row = await reader.one(readCompatible)
  return row && Number(row.value)
}

/** The scripts that make the tables of a store: a base that creates them, and scripts that change them afterwards. */
export class Migrations {
  /** The number of the base. The scripts after it have the next numbers. */
  readonly baseVersion: number
  readonly scripts: readonly string[]
  /** The steps that follow some of the scripts. */
  readonly steps: ReadonlyMap<string, MigrationStep>
  /**
   * The scripts that only expand the tables, each with the least number of a program that works with them: such a
   * program serves beside a later one, and after it. A script without an entry needs a program that has it.
   */
  readonly expanding: ReadonlyMap<string, number>

  constructor(
    baseVersion: number,
    scripts: readonly string[],
    steps: Migrations['steps'] = new Map(),
    expanding: Migrations['expanding'] = new Map(),
  ) {
    this.baseVersion = baseVersion
    this.scripts = scripts
    this.steps = steps
    this.expanding = expanding
  }

  /** The number of the last script. */
  get version(): number {
    return this.baseVersion + this.scripts.length - 1
  }

  /** Returns the least number of a program that works with the tables after the script with this number. */
  compatibleFrom(version: number): number {
    const numbers = this.scripts.map(
      (script, index) => this.expanding.get(script) ?? this.baseVersion + index,
    )
    return Math.max(...numbers.slice(0, version - this.baseVersion + 1))
  }

  /** Returns the scripts that a database lacks, with their numbers. Throws as `refuseUnsupported` does. */
  missingIn(version: number, compatibleFrom?: number): [script: string, version: number][] {
    this.refuseUnsupported(version, compatibleFrom)
    return this.scripts
      .map((script, index): [string, number] => [script, this.baseVersion + index])
      .filter(([, number]) => number > version)
  }

  /**
   * Throws UnsupportedVersion unless a database has every script, and no other that this program does not work with;
   * UnmigratedDatabase if it lacks one.
   */
  requireCurrent(version: number, compatibleFrom?: number): void {
    this.refuseUnsupported(version, compatibleFrom)
    if (version < this.version) {
      throw new UnmigratedDatabase(
        `The database is at version ${version}, but this petstore needs ${this.version}: run "petstore migrate", ` +
          'or start the store once.',
      )
    }
  }

  /**
   * Throws UnsupportedVersion if a newer program made the tables of a database, unless they are recorded as compatible
   * with this one, or if they are older than the base.
   */
  refuseUnsupported(version: number, compatibleFrom = version): void {
    if (version > this.version && compatibleFrom > this.version) {
      throw new UnsupportedVersion(
        `The database is at version ${version}, created by a newer petstore; this one supports versions up to ` +
          `${this.version}: use a newer petstore.`,
      )
    }
    if (version > 0 && version < this.baseVersion) {
      throw new UnsupportedVersion(
        `The database is at version ${version}, but this petstore supports versions from ${this.baseVersion} on: ` +
          'move the categories and pets with "petstore export" of the petstore that wrote them and "petstore import" ' +
          'of this one; orders, keys, webhooks and the audit log are not moved.',
      )
    }
  }
}

/**
 * Runs the scripts that a database lacks, one by one, each with its step. Throws UnsupportedVersion before anything is
 * changed.
 */
export async function migrate(
  database: Migratable,
  migrations: Migrations,
  onProgress: OnProgress = () => {},
): Promise<void> {
  const before = await database.version()
  for (const [script, version] of migrations.missingIn(before, await database.compatibleFrom())) {
    await database.apply(script, version, async tx => {
      await migrations.steps.get(script)?.(tx, onProgress)
      // No earlier program has served a new store.
      if (before > 0) await tx.run(recordCompatible, { value: `${migrations.compatibleFrom(version)}` })
    })
  }
}
