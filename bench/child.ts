import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../test/support/process.ts'

/** The time limit for the first response of a server. */
const START_MS = 60_000
/** The time limit for the stop of a server. */
const STOP_MS = 12_000
/** The pause between two probes. It limits the precision of a measured start. */
const PROBE_INTERVAL_MS = 4
/** The time limit of a probe, so that START_MS also applies to a server that accepts connections but never responds. */
const PROBE_MS = 5_000
/** The time limit of a server, in case it is never stopped. Every benchmark takes less time. */
const SERVER_MS_MAX = 3_600_000

const children = new Set<Bun.Subprocess>()

let isInterrupted = false

// On a signal, all child processes are killed. The code that waits for them throws, and all resources are released.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isInterrupted = true
    for (const child of children) child.kill('SIGKILL')
  })
}

/** Returns the path of a program in this directory. */
export function programFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

/**
 * Runs a Bun program to its end, with the variables `environment`, and returns its output. Throws an error with the
 * error output of the program if it fails or takes longer than `timeoutMs`.
 */
export async function runProgram(
  name: string,
  input: object,
  timeoutMs: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const command = [process.execPath, programFile(name), JSON.stringify(input)]
  const { status, output, errorOutput } = await runCommand(command, {
    environment: childEnvironment(environment),
    timeoutMs,
  })
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${errorOutput.trim()}`)
  return output
}

interface CommandResult {
  readonly status: number
  readonly output: string
  readonly errorOutput: string
  /** The processor time of the command, in microseconds. */
  readonly cpuUs: number
}

/**
 * Runs a command to its end and returns its status and output. After `timeoutMs`, the command is killed, and its status
 * is not 0.
 */
export async function runCommand(
  command: readonly string[],
  options: Omit<SpawnOptions, 'stdout'>,
): Promise<CommandResult> {
  const child = spawn(command, { ...options, stdout: 'pipe' })
  const [output, errorOutput, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, output, errorOutput, cpuUs: Number(child.resourceUsage()?.cpuTime.total ?? 0) }
}

/** A server in a separate process, on the loopback interface. Disposing it stops the process. */
export interface ServerProcess extends AsyncDisposable {
  readonly pid: number
  readonly port: number
  /** The time from the creation of the process to its first response that is not 503. */
  readonly startedMs: number
  /** Kills the process (SIGKILL), so that it has no clean stop. */
  kill(): Promise<void>
}

/**
 * Starts a Bun program that serves HTTP on `port`, and waits for its first response that is not 503. Its standard
 * output is discarded. Throws if the program ends or does not respond in time.
 */
export function startServerProcess(
  programArguments: readonly string[],
  environment: Readonly<Record<string, string>>,
  port: number,
): Promise<ServerProcess> {
  return startCommand([process.execPath, ...programArguments], environment, port)
}

/**
 * Starts any command that serves HTTP on `port`, as `startServerProcess` does. The command must be the server itself.
 * If it were a wrapper that starts the server, the wrapper would be measured and stopped instead of the server.
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
  const errorOutput = new Response(child.stderr).text()
  const deadline = spawnedMs + START_MS
  while (!(await responds(port))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`a server ended before it responded: ${await errorOutput}`)
    if (performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`nothing responds on port ${port}: ${await errorOutput}`)
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
 * Returns a free port below the range from which the system assigns ports, so that no other program is assigned the
 * port before the server binds it.
 */
export function freePort(): number {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
      return port
    } catch {
      // The port is in use: try another port.
    }
  }
}

interface SpawnOptions<Out extends 'pipe' | 'ignore' = 'pipe'> {
  /** All variables of the process. It inherits no others. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly stdout: Out
  readonly timeoutMs: number
  readonly directory?: string
}

function spawn<Out extends 'pipe' | 'ignore'>(
  command: readonly string[],
  { environment, stdout, timeoutMs, directory = process.cwd() }: SpawnOptions<Out>,
): Bun.Subprocess<'ignore', Out, 'pipe'> {
  if (isInterrupted) throw new Error('interrupted')
  const child = Bun.spawn<'ignore', Out, 'pipe'>([...command], {
    cwd: directory,
    env: { ...environment },
    stdin: 'ignore',
    stdout,
    stderr: 'pipe',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  children.add(child)
  child.exited.finally(() => children.delete(child))
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
