import type { Reader } from './engine.ts'
import type { StatementCall } from './statement.ts'

/** Called from time to time during a migration that takes long, with a line for the person who waits. */
export type OnProgress = (line: string) => void

/** The transaction of a migration. */
export interface MigrationTx extends Reader {
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
  readonly base: string
  readonly scripts: readonly string[]
  /** The number of the base. The scripts have the next numbers. */
  readonly baseVersion: number
  /** The steps that follow some of the scripts. */
  readonly steps: ReadonlyMap<string, MigrationStep>

  constructor(baseVersion: number, { base, scripts, steps }: Pick<Migrations, 'base' | 'scripts' | 'steps'>) {
    this.baseVersion = baseVersion
    this.base = base
    this.scripts = scripts
    this.steps = steps
  }

  /** The number of the last script. */
  get version(): number {
    return this.baseVersion + this.scripts.length
  }

  /** The base and the scripts: what an empty database lacks. */
  get all(): readonly string[] {
    return [this.base, ...this.scripts]
  }

  /** Returns the scripts that a database lacks, with their numbers. Throws as `refuseUnsupported` does. */
  missingIn(version: number): [script: string, version: number][] {
    this.refuseUnsupported(version)
    return this.all
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
        `The database is at version ${version}; this petstore supports versions from ${this.baseVersion} on. ` +
          'Use the petstore of commit 677f627 first: ' +
          'it migrates a store when it starts, and a backup when it restores it.',
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
