import type { Reader } from './engine.ts'
import type { StatementCall } from './statement.ts'

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
  /** Runs a script of several statements and its step, and records its number, in one transaction. */
  apply(script: string, version: number, step: (tx: MigrationTx) => Promise<void>): Promise<void>
}

/** Thrown if this program does not know the tables of a database. The message consists of sentences. */
export class UnsupportedVersion extends Error {}

/** Thrown if a database lacks migrations that this program has. */
export class UnmigratedDatabase extends UnsupportedVersion {}

/** The scripts that make the tables of a store: a base that creates them, and scripts that change them afterwards. */
export class Migrations {
  /** The number of the base. The scripts after it have the next numbers. */
  readonly baseVersion: number
  readonly scripts: readonly string[]
  /** The steps that follow some of the scripts. */
  readonly steps: ReadonlyMap<string, MigrationStep>

  constructor(baseVersion: number, scripts: readonly string[], steps: Migrations['steps'] = new Map()) {
    this.baseVersion = baseVersion
    this.scripts = scripts
    this.steps = steps
  }

  /** The number of the last script. */
  get version(): number {
    return this.baseVersion + this.scripts.length - 1
  }

  /** Returns the scripts that a database lacks, with their numbers. Throws as `refuseUnsupported` does. */
  missingIn(version: number): [script: string, version: number][] {
    this.refuseUnsupported(version)
    return this.scripts
      .map((script, index): [string, number] => [script, this.baseVersion + index])
      .filter(([, number]) => number > version)
  }

  /** Throws UnsupportedVersion unless a database has every script, and no other; UnmigratedDatabase if it lacks one. */
  requireCurrent(version: number): void {
    this.refuseUnsupported(version)
    if (version < this.version) {
      throw new UnmigratedDatabase(
        `The database is at version ${version}, but this petstore needs ${this.version}: run "petstore migrate", ` +
          'or start the store once.',
      )
    }
  }

  /** Throws UnsupportedVersion if a newer program made the tables of a database, or if they are older than the base. */
  refuseUnsupported(version: number): void {
    if (version > this.version) {
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
  for (const [script, version] of migrations.missingIn(await database.version())) {
    await database.apply(script, version, async tx => migrations.steps.get(script)?.(tx, onProgress))
  }
}
