import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

export interface Ran {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

/** The settings of a store on PostgreSQL: its address, and the secret key that all its processes share. */
export function onPostgres(url: string): Record<string, string> {
  const file = fileURLToPath(new URL('secret-key', import.meta.url))
  return { DATABASE_URL: url, PETSTORE_SECRET_KEY_FILE: file }
}

/** The environment of a test's child: nothing of the store's settings leaks in from outside. */
function environment(own: Readonly<Record<string, string>>): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG'].flatMap(name => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(kept), ...own }
}

/** Runs the petstore command to its end. */
export async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return await runToEnd([process.execPath, MAIN, ...args], environment(env))
}

/** Runs a command to its end, two minutes at most; it sees this environment and no other. */
export async function runToEnd(
  command: string[],
  env: Record<string, string>,
  cwd = process.cwd(),
): Promise<Ran> {
  const child = Bun.spawn(command, {
    ...{ cwd, env },
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

/** A server process that a test started, and may end as it likes. */
export interface ServerProcess extends AsyncDisposable {
  readonly base: string
  /** What it has said to a person until now. */
  readonly said: () => string
  readonly logged: () => string
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number>
}

/** Starts a server and resolves when it says where it listens. `script` is src/main.ts unless given. */
export async function startProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  script = MAIN,
): Promise<ServerProcess> {
  const child = Bun.spawn([process.execPath, script, ...args], {
    env: environment(env),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let said = ''
  let logged = ''
  const listening = Promise.withResolvers<string>()
  collect(child.stdout, text => {
    logged += text
  })
  collect(child.stderr, text => {
    said += text
    const base = /serves (https?:\S+)/.exec(said)?.[1]
    if (base) listening.resolve(base)
  })
  child.exited.then(code => listening.reject(new Error(`the server ended with ${code}: ${said}${logged}`)))
  const base = await listening.promise
  const kill = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number> => {
    child.kill(signal)
    return await child.exited
  }
  return {
    base,
    said: () => said,
    logged: () => logged,
    kill,
    [Symbol.asyncDispose]: async () => {
      await kill('SIGKILL')
    },
  }
}

async function collect(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }))
}
