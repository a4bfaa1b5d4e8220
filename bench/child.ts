import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../test/support/process.ts'

/** Time limits for the first response of a server, and for its stop. */
const START_MS = 60_000
const STOP_MS = 12_000
/** The time between two probes is the error of a measured start. */
const PROBE_INTERVAL_MS = 4
/** A server that accepts a connection and never responds must not outlast START_MS. */
const PROBE_MS = 5_000
/** Longer than all benchmarks run, so that a forgotten server ends. */
const SERVER_MS_MAX = 3_600_000

const running = new Set<Bun.Subprocess>()

let interrupted = false

// On a signal, all child processes are killed. The code that waits for them throws, and all resources are released.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted = true
    for (const child of running) child.kill('SIGKILL')
  })
}

/** Returns the path of a program in this directory. */
export function programFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

/**
 * Runs a Bun program to its end and returns its output. Throws an error with its error output if it fails or takes too
 * long.
 */
export async function runProgram(name: string, input: object, timeoutMs: number): Promise<string> {
  const command = [process.execPath, programFile(name), JSON.stringify(input)]
  const { status, printed, said } = await runCommand(command, {
    environment: childEnvironment({}),
    timeoutMs,
  })
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${said.trim()}`)
  return printed
}

/** Runs a command to its end, in any case within `timeoutMs`: it is killed then, and its status is not 0. */
export async function runCommand(
  command: readonly string[],
  options: Omit<SpawnOptions, 'stdout'>,
): Promise<{ readonly status: number; readonly printed: string; readonly said: string }> {
  const child = spawn(command, { ...options, stdout: 'pipe' })
  const [printed, said, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, printed, said }
}

/** A server in a separate process, on the loopback interface; stopped with `await using`. */
export interface ServerProcess extends AsyncDisposable {
  readonly pid: number
  readonly port: number
  /** The time from the creation of the process to its first response that is not 503. */
  readonly startedMs: number
  /** Kills the process without a clean stop, as a power failure does to it. */
  kill(): Promise<void>
}

/** Starts a Bun program that serves HTTP on `port`; its output goes to /dev/null. Throws if it ends. */
export function startServerProcess(
  programArguments: readonly string[],
  environment: Readonly<Record<string, string>>,
  port: number,
): Promise<ServerProcess> {
  return startCommand([process.execPath, ...programArguments], environment, port)
}

/**
 * Starts any command that serves HTTP on `port`, as `startServerProcess` does. The command must be the server itself:
 * a wrapper that starts a child would be measured and stopped in its place.
 */
export async function startCommand(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  port: number,
): Promise<ServerProcess> {
  const spawnedMs = performance.now()
  const child = spawn(command, {
    environment: childEnvironment(environment),
    stdout: 'ignore',
    timeoutMs: SERVER_MS_MAX,
  })
  const said = new Response(child.stderr).text()
  const deadline = spawnedMs + START_MS
  while (!(await responds(port))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`a server ended at once: ${await said}`)
    if (performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`nothing responds on port ${port}: ${await said}`)
    }
    await Bun.sleep(PROBE_INTERVAL_MS)
  }
  return {
    pid: child.pid,
    port,
    startedMs: performance.now() - spawnedMs,
    kill: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await child.exited
      clearTimeout(killTimer)
    },
  }
}

/**
 * Returns a free port below the range from which the system assigns ports, so that no other program gets it before it
 * is used.
 */
export function freePort(): number {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
      return port
    } catch {
      // In use: try another one.
    }
  }
}

interface SpawnOptions<Out extends 'pipe' | 'ignore' = 'pipe'> {
  /** All of it: nothing is inherited. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdout: Out
  readonly timeoutMs: number
  readonly directory?: string
}

function spawn<Out extends 'pipe' | 'ignore'>(
  command: readonly string[],
  { environment, stdout, timeoutMs, directory = process.cwd() }: SpawnOptions<Out>,
): Bun.Subprocess<'ignore', Out, 'pipe'> {
  if (interrupted) throw new Error('interrupted')
  const child = Bun.spawn<'ignore', Out, 'pipe'>([...command], {
    cwd: directory,
    env: { ...environment },
    stdin: 'ignore',
    stdout,
    stderr: 'pipe',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  running.add(child)
  child.exited.finally(() => running.delete(child))
  return child
}

async function responds(port: number): Promise<boolean> {
  try {
    // A store that has bound its port and is still starting responds with 503.
    const { status } = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(PROBE_MS) })
    return status !== 503
  } catch {
    return false
  }
}
