#!/usr/bin/env bun
import { Command } from 'commander'
import { CommandFailed, say } from './cli/terminal.ts'

/** Adds each command. It loads only the modules of this command. */
const commands: ReadonlyMap<string, (program: Command) => Promise<void>> = new Map([
  ['serve', async program => (await import('./cli/serve.ts')).addServe(program)],
  ['import', async program => (await import('./cli/import.ts')).addImport(program)],
  ['copy', async program => (await import('./cli/copy.ts')).addCopy(program)],
  ['backup', async program => (await import('./cli/backup.ts')).addBackup(program)],
  ['restore', async program => (await import('./cli/restore.ts')).addRestore(program)],
  ['reset', async program => (await import('./cli/reset.ts')).addReset(program)],
  ['migrate', async program => (await import('./cli/migrate.ts')).addMigrate(program)],
  ['doctor', async program => (await import('./cli/doctor.ts')).addDoctor(program)],
  ['audit', async program => (await import('./cli/audit.ts')).addAudit(program)],
  ['listen', async program => (await import('./cli/listen.ts')).addListen(program)],
  ['keys', async program => (await import('./cli/keys.ts')).addKeys(program)],
  ['new-key', async program => (await import('./cli/new-key.ts')).addNewKey(program)],
  ['new-secret-key', async program => (await import('./cli/secret-key.ts')).addNewSecretKey(program)],
  ['licenses', async program => (await import('./cli/licenses.ts')).addLicenses(program)],
  ['openapi', async program => (await import('./cli/openapi.ts')).addOpenapi(program)],
])

const program = new Command('petstore')
  .description('A store of pets, categories, stock and orders, over HTTP.')
  .version('1.0.0')
// Without the name of a command, such as with --help, all of them are needed.
const named = commands.get(process.argv[2] ?? 'serve')
for (const add of named ? [named] : commands.values()) await add(program)

process.stdout.on('error', endAtBrokenPipe)
// Standard error is only for people, so a store continues if it cannot write there.
process.stderr.on('error', () => {})
try {
  await program.parseAsync()
} catch (error) {
  endAtBrokenPipe(error)
  if (!(error instanceof CommandFailed)) throw error
  say(error.message)
  process.exit(error.exitCode)
}

/** Ends the process successfully if the error is that `head`, for example, has closed the pipe. Otherwise returns. */
function endAtBrokenPipe(error: unknown): void {
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') process.exit(0)
}
