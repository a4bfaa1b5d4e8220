import { childEnvironment, command, type ProcessResult, run } from './process.ts'
import { ADMIN_KEY } from './store.ts'

/** Runs a command against the store at an address, with the admin key of the tests. */
export async function runAt(
  base: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ProcessResult> {
  return await run(args, { PETSTORE_URL: base, PETSTORE_KEY: ADMIN_KEY, ...env })
}

/** Runs a command with a text as its standard input. */
export async function runWithInput(
  base: string,
  args: readonly string[],
  input: string,
): Promise<ProcessResult> {
  const child = Bun.spawn(command(args).line, {
    env: childEnvironment({ PETSTORE_URL: base, PETSTORE_KEY: ADMIN_KEY }),
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 60_000,
  })
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { exitCode: await child.exited, output, errors }
}

/** Runs a command on a terminal with this many columns. Returns what a person sees, and the exit code. */
export async function runOnTerminal(
  base: string,
  args: readonly string[],
  columns: number,
): Promise<{ readonly shown: string; readonly exitCode: number }> {
  const decoder = new TextDecoder()
  let shown = ''
  const ended = Promise.withResolvers<void>()
  const child = Bun.spawn(command(args).line, {
    env: childEnvironment({ PETSTORE_URL: base, PETSTORE_KEY: ADMIN_KEY, TERM: 'xterm' }),
    terminal: {
      cols: columns,
      rows: 24,
      data: (_terminal, data) => {
        shown += decoder.decode(data, { stream: true })
      },
      exit: () => ended.resolve(),
    },
  })
  const exitCode = await child.exited
  child.terminal?.close()
  await ended.promise
  return { shown: shown.replaceAll('\r\n', '\n'), exitCode }
}

/** Returns the messages of an import without the line that says how to take it back, whose number is random. */
export function withoutTakeBackHint(errors: string): string {
  return errors.replace(/^To undo this import within 30 days: --take-back \d+\n/m, '')
}
