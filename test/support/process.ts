import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** How long the output of a process that has ended is read, in milliseconds. */
const OUTPUT_WAIT_MS = 2000

/** The environment variable with the path of a single file that the tests run instead of src/main.ts. */
export const PROGRAM_VARIABLE = 'TESTED_PROGRAM'
const singleFile = process.env[PROGRAM_VARIABLE] ?? ''
const PROGRAM =
  singleFile === ''
    ? [process.execPath, fileURLToPath(new URL('../../src/main.ts', import.meta.url))]
    : [singleFile]

/** Returns the module of a worker of a store on SQLite. A run of all tests has bundled it, next to the single file. */
export function workerModule(name: 'sqlite-writer' | 'sqlite-reader'): URL {
  return singleFile === ''
    ? new URL(`../../src/serving/${name}.ts`, import.meta.url)
    : pathToFileURL(join(dirname(singleFile), `${name}.js`))
}

export interface ProcessResult {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

/** Returns the settings of a store on PostgreSQL: its URL, and the secret key that all its processes share. */
export function onPostgres(url: string): Record<string, string> {
  const file = fileURLToPath(new URL('secret-key', import.meta.url))
  return { DATABASE_URL: url, PETSTORE_SECRET_KEY_FILE: file }
}

/** Returns the environment of a child process. The child inherits no setting of a store from this process. */
export function childEnvironment(variables: Readonly<Record<string, string>>): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG'].flatMap(name => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(kept), ...variables }
}

/** Runs the petstore command to its end, and returns its output and exit code. */
export async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ProcessResult> {
  return await runToEnd([...PROGRAM, ...args], childEnvironment(env))
}

/** Runs a command to its end, for at most two minutes, with only this environment. Returns its output and exit code. */
export async function runToEnd(
  command: string[],
  env: Record<string, string>,
  cwd = process.cwd(),
): Promise<ProcessResult> {
  const child = Bun.spawn(command, {
    cwd,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 120_000,
  })
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exitCode, output, errors }
}

/** A server process that a test started, and that the test may end in any way. */
export interface ServerProcess extends AsyncDisposable {
  readonly base: string
  readonly pid: number
  /** Returns standard error so far: the messages for people. */
  readonly messages: () => string
  /** Returns standard output so far: the log. */
  readonly logged: () => string
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number>
  /** Freezes the process, or lets it continue. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Resolves to the exit code once the process has ended. */
  readonly exited: Promise<number>
  /** Closes this end of the pipes of standard output and standard error, as if their reader had exited. */
  closeReaders(): Promise<void>
}

/** Returns the petstore command for a child process of a test: its command line, and its environment. */
export function command(args: readonly string[]): { line: string[]; env: Record<string, string> } {
  return { line: [...PROGRAM, ...args], env: childEnvironment({}) }
}

/** Like `startCommand`, with a script that Bun runs, by default the petstore command. */
export async function startProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  script?: string,
): Promise<ServerProcess> {
  const program = script === undefined ? PROGRAM : [process.execPath, script]
  return await startCommand([...program, ...args], env)
}

/** Starts a server by its command line, and resolves when it reports its address. Throws if it ends before that. */
export async function startCommand(
  line: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = process.cwd(),
): Promise<ServerProcess> {
  const child = Bun.spawn([...line], {
    cwd,
    env: childEnvironment(env),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let messages = ''
  let logged = ''
  const listening = Promise.withResolvers<string>()
  const output = collect(child.stdout, text => {
    logged += text
  })
  const errors = collect(child.stderr, text => {
    messages += text
    const base = /(?:serves|hosts sandboxes at|Listening on) (https?:\S+)/.exec(messages)?.[1]
    if (base) listening.resolve(base)
  })
  child.exited.then(code =>
    listening.reject(new Error(`the server ended with ${code}: ${messages}${logged}`)),
  )
  const base = await listening.promise
  const exited = endOf(child, [output.ended, errors.ended])
  const kill = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number> => {
    child.kill(signal)
    return await exited
  }
  return {
    base,
    pid: child.pid,
    messages: () => messages,
    logged: () => logged,
    kill,
    signal: name => child.kill(name),
    exited,
    closeReaders: async () => {
      await Promise.all([output.cancel(), errors.cancel()])
    },
    [Symbol.asyncDispose]: async () => {
      await kill('SIGKILL')
    },
  }
}

/**
 * Resolves to the exit code of a process when its output has been read too. That takes at most `OUTPUT_WAIT_MS` longer
 * than the process, because a child of the process may keep the pipes open.
 */
async function endOf(child: Bun.Subprocess, streams: readonly Promise<void>[]): Promise<number> {
  const exitCode = await child.exited
  const limit = Promise.withResolvers<void>()
  const timer = setTimeout(limit.resolve, OUTPUT_WAIT_MS)
  await Promise.race([Promise.all(streams), limit.promise])
  clearTimeout(timer)
  return exitCode
}

/** Passes the text of a stream to `take`, until the stream ends or it is cancelled. */
function collect(
  stream: ReadableStream<Uint8Array>,
  take: (text: string) => void,
): { readonly ended: Promise<void>; cancel(): Promise<void> } {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  const readToEnd = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      take(decoder.decode(value, { stream: true }))
    }
  }
  return { ended: readToEnd(), cancel: () => reader.cancel() }
}
