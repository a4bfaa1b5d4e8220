#!/usr/bin/env -S bun --no-env-file --config=/dev/null
import { Command, CommanderError } from 'commander'
import { CommandFailed, EXIT_USAGE, printNow, reasonOf, say } from './cli/terminal/terminal.ts'
import { version } from './files/version.ts'

/** The functions that add the commands, by name. Each imports the module of its command only when called. */
const commands: ReadonlyMap<string, (program: Command) => Promise<void>> = new Map([
  ['serve', async program => (await import('./cli/serve/serve.ts')).addServe(program)],
  ['sandboxes', async program => (await import('./cli/sandboxes/sandboxes.ts')).addSandboxes(program)],
  ['sandbox', async program => (await import('./cli/sandboxes/sandbox.ts')).addSandbox(program)],
  ['class', async program => (await import('./cli/sandboxes/class.ts')).addClass(program)],
  ['bench', async program => (await import('./cli/bench/bench.ts')).addBench(program)],
  ['import', async program => (await import('./cli/import/import.ts')).addImport(program)],
  ['copy', async program => (await import('./cli/copies/copy.ts')).addCopy(program)],
  ['backup', async program => (await import('./cli/copies/backup.ts')).addBackup(program)],
  ['restore', async program => (await import('./cli/copies/restore.ts')).addRestore(program)],
  ['export', async program => (await import('./cli/copies/export.ts')).addExport(program)],
  ['reset', async program => (await import('./cli/copies/reset.ts')).addReset(program)],
  ['migrate', async program => (await import('./cli/copies/migrate.ts')).addMigrate(program)],
  [
    'rotate-secret-key',
    async program => (await import('./cli/keys/rotate-secret-key.ts')).addRotateSecretKey(program),
  ],
  ['drill', async program => (await import('./cli/copies/drill.ts')).addDrill(program)],
  ['doctor', async program => (await import('./cli/inspect/doctor.ts')).addDoctor(program)],
  ['audit', async program => (await import('./cli/inspect/audit.ts')).addAudit(program)],
  ['listen', async program => (await import('./cli/listen/listen.ts')).addListen(program)],
  ['mcp', async program => (await import('./cli/agents/mcp.ts')).addMcp(program)],
  ['keys', async program => (await import('./cli/keys/keys.ts')).addKeys(program)],
  ['new-key', async program => (await import('./cli/keys/new-key.ts')).addNewKey(program)],
  ['new-secret-key', async program => (await import('./cli/keys/secret-key.ts')).addNewSecretKey(program)],
  ['openapi', async program => (await import('./cli/inspect/openapi.ts')).addOpenapi(program)],
  ['health', async program => (await import('./cli/inspect/health.ts')).addHealth(program)],
  ['history', async program => (await import('./cli/inspect/history.ts')).addHistory(program)],
  ['reorder-at', async program => (await import('./cli/operations/reorder-at.ts')).addReorderAt(program)],
  ['operations', async program => (await import('./cli/operations/operations.ts')).addOperations(program)],
  ['licenses', async program => (await import('./cli/inspect/licenses.ts')).addLicenses(program)],
  ['completion', async program => (await import('./cli/completion/completion.ts')).addCompletion(program)],
  [
    '__complete',
    async program => (await import('./cli/completion/completion.ts')).addCompleter(program, addCompleted),
  ],
])

const program = new Command('petstore')
  .description('A store of pets, categories, stock and orders, over HTTP.')
  .version(version)
  .addHelpText('after', '\nThe operations of the API are commands too: "petstore operations" lists them.')
  .exitOverride()
  .configureOutput({ writeOut: printNow })
  .hook('preAction', async (_, command) => {
    if (process.env.INIT_CWD) (await import('./cli/terminal/typed-paths.ts')).resolveTypedPaths(command)
  })

process.stdout.on('error', endAtBrokenPipe)
// Standard error is only for people, so a store continues if it cannot write there.
process.stderr.on('error', () => {})
try {
  const args = withHelpOption(process.argv.slice(2))
  await program.parseAsync(await addNamed(args), { from: 'user' })
} catch (error) {
  endAtBrokenPipe(error)
  if (error instanceof CommanderError) {
    // Commander has printed the help or the error.
    process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE
  } else if (error instanceof CommandFailed) {
    say(error.message)
    process.exit(error.exitCode)
  } else if (error instanceof Error && ['PostgresError', 'SQLiteError'].includes(error.name)) {
    const state = error.name === 'PostgresError' && 'errno' in error ? ` (SQLSTATE ${error.errno})` : ''
    say(`The database reports: ${reasonOf(error)}${state}.`)
    process.exit(1)
  } else if (error instanceof Error && error.name === 'StoreError') {
    say(`The store refused: ${reasonOf(error)}.`)
    process.exit(1)
  } else if (error instanceof Error && 'syscall' in error) {
    say(`The system reports: ${reasonOf(error)}.`)
    process.exit(1)
  } else throw error
}

/** Returns `list-pets --help` for `help list-pets`, so that the command is loaded. */
function withHelpOption([word, ...others]: readonly string[]): string[] {
  if (word === 'help') return [...others, '--help']
  return word === undefined ? [] : [word, ...others]
}

/** Adds the command that the arguments name, or all local commands for the help. Returns the arguments to parse. */
async function addNamed([word = 'serve', ...others]: readonly string[]): Promise<string[]> {
  const args = [word, ...others]
  const named = commands.get(word)
  // The help lists all local commands.
  if (word === '-h' || word === '--help') await addLocal()
  else if (named) await named(program)
  else if (!word.startsWith('-')) return [await addByOperation(word), ...others]
  // The options of the default command may come without its name. No command is needed for the version.
  else if (word !== '-V' && word !== '--version') await commands.get('serve')?.(program)
  return args
}

/** Adds all local commands, except the one that is being completed with. */
async function addLocal(): Promise<void> {
  for (const [name, add] of commands) if (name !== '__complete') await add(program)
}

/** Adds the command that a typed word names; without a word, all commands. */
async function addCompleted(word?: string): Promise<void> {
  if (word !== undefined) await addNamed([word]).catch(() => [])
  else {
    await addLocal()
    const { commandIds } = await import('./cli/operations/names.ts')
    const { addOperation } = await import('./cli/operations/command.ts')
    for (const id of commandIds) addOperation(program, id)
  }
}

/** Adds the command of the operation that `word` names, and returns its name. Throws CommandFailed if there is none. */
async function addByOperation(word: string): Promise<string> {
  const { findOperation, kebabCase, operationNames } = await import('./cli/operations/names.ts')
  const id = findOperation(word)
  if (id === undefined) {
    const { unknownWord } = await import('./cli/terminal/unknown-word.ts')
    throw unknownWord(
      word,
      [...commands.keys(), ...operationNames].filter(name => name !== '__complete'),
    )
  }
  const { addOperation } = await import('./cli/operations/command.ts')
  addOperation(program, id)
  return kebabCase(id)
}

/** Ends the process successfully if the reader of a pipe, such as `head`, has closed it. Otherwise returns. */
function endAtBrokenPipe(error: unknown): void {
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') process.exit(0)
}
