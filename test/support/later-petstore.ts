import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnvironment, type ProcessResult, runToEnd } from './process.ts'
import { ROOT } from './root.ts'

const LATER_MIGRATIONS = JSON.stringify(join(import.meta.dir, 'later-migrations.ts'))

const LATER = `
import { EXPANDS_VARIABLE, laterScripts, laterSteps } from ${LATER_MIGRATIONS}
import { postgresMigrations as postgres, sqliteMigrations as sqlite } from './present.ts'
const after = ({ constructor: Migrations, baseVersion, scripts, steps, version }) => {
  const expanding = process.env[EXPANDS_VARIABLE] ? laterScripts.map(script => [script, version]) : []
  return new Migrations(
    baseVersion, [...scripts, ...laterScripts], new Map([...steps, ...laterSteps]), new Map(expanding))
}
export const postgresMigrations = after(postgres)
export const sqliteMigrations = after(sqlite)
`

/** A later version of this petstore: a copy of its sources with the migrations of `later-migrations.ts`. */
export class LaterPetstore implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'petstore-later-'))
  /** The script of the command, for `startProcess`. */
  readonly script = join(this.#directory, 'src/main.ts')

  constructor() {
    cpSync(join(ROOT, 'src'), join(this.#directory, 'src'), { recursive: true })
    for (const name of ['demo', 'dist', 'node_modules', 'package.json'])
      symlinkSync(join(ROOT, name), join(this.#directory, name))
    const migrations = join(this.#directory, 'src/database/migrations')
    renameSync(join(migrations, 'migrations.ts'), join(migrations, 'present.ts'))
    writeFileSync(join(migrations, 'migrations.ts'), LATER)
  }

  /** Runs a command to its end, as `run` of `process.ts` does. */
  async run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ProcessResult> {
    return await runToEnd([process.execPath, this.script, ...args], childEnvironment(env))
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
