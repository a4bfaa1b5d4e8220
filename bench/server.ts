import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment } from '../test/support/process.ts'

/** The time limit for the first response of a server. */
const START_MS = 60_000
const STOP_MS = 12_000
/** The pause between two probes. It limits the precision of a measured start. */
const PROBE_INTERVAL_MS = 4
/** The time limit of a probe, so that START_MS also applies to a server that accepts connections but never responds. */
const PROBE_MS = 5_000
/** In /proc, Linux counts processor time in hundredths of a second, on every architecture that Bun supports. */
const US_PER_TICK = 10_000

export type Environment = Readonly<Record<string, string>>

/** A server in a process of its own, on the loopback interface. Disposing it stops the process. */
export interface Server extends AsyncDisposable {
  readonly pid: number
  readonly port: number
  /** The time from the creation of the process to its first response that is not 503. */
  readonly startedMs: number
  /** Kills the process (SIGKILL), so that it has no clean stop. */
  kill(): Promise<void>
}

const children = new Set<Bun.Subprocess>()
let isInterrupted = false

// On a signal, all child processes are killed. The code that waits for them throws, and all resources are released.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isInterrupted = true
    for (const child of children) child.kill('SIGKILL')
  })
}

/** Returns the path of a file, relative to this folder. */
export function pathOf(name: string): string {
  return join(import.meta.dir, name)
}

function spawn<Out extends 'pipe' | 'ignore'>(command: readonly string[], env: Environment, stdout: Out) {
  if (isInterrupted) throw new Error('interrupted')
  const child = Bun.spawn([...command], {
    env: childEnvironment(env),
    stdin: 'ignore',
    stdout,
    stderr: 'pipe',
  })
  children.add(child)
  child.exited.finally(() => children.delete(child))
  return child
}

/** Runs a command to its end. Returns its output and its processor time. Throws if it fails. */
export async function runCommand(
  command: readonly string[],
  environment: Environment,
): Promise<{ output: string; cpuUs: number }> {
  const child = spawn(command, environment, 'pipe')
  const [output, errors, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${errors.trim()}`)
  return { output, cpuUs: Number(child.resourceUsage()?.cpuTime.total ?? 0) }
}

/**
 * Starts a command that serves HTTP on a port, and waits for its first response that is not 503. The command must be
 * the server itself, or end with `exec`: a wrapper would be measured and stopped in its place.
 */
export async function startServer(
  port: number,
  command: readonly string[],
  environment: Environment = {},
): Promise<Server> {
  const spawnedMs = performance.now()
  const child = spawn(command, environment, 'ignore')
  const errors = new Response(child.stderr).text()
  while (!(await responds(port))) {
    const isLate = performance.now() > spawnedMs + START_MS
    if (isLate) child.kill('SIGKILL')
    if (isLate || child.exitCode !== null || child.signalCode !== null)
      throw new Error(`a server did not respond on port ${port}: ${await errors}`)
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

async function responds(port: number): Promise<boolean> {
  try {
    // A store that has bound its port and is still starting responds with 503.
    const { status } = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(PROBE_MS) })
    return status !== 503
  } catch {
    return false
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

/** Returns the parent of a process, and its processor time in microseconds. */
function statOf(pid: number | string): { parent: number; ownUs: number; endedChildrenUs: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The name of the program, in parentheses, may contain spaces. The second field after it is the parent; the 12th to
  // the 15th are utime, stime, cutime and cstime.
  const fields = stat.slice(stat.lastIndexOf(')') + 4).split(' ')
  const [parent = 0, utime = 0, stime = 0, cutime = 0, cstime = 0] = [0, 10, 11, 12, 13].map(at =>
    Number(fields[at]),
  )
  return { parent, ownUs: (utime + stime) * US_PER_TICK, endedChildrenUs: (cutime + cstime) * US_PER_TICK }
}

/** Returns the processor time of a process so far, in all its threads, user and system, in microseconds. */
export function cpuUs(pid: number): number {
  return statOf(pid).ownUs
}

/** Returns the processor time of a process and its children so far, including the children that have ended. */
export function cpuUsOfTree(pid: number): number {
  const { ownUs, endedChildrenUs } = statOf(pid)
  const running = readdirSync('/proc').flatMap(name => {
    try {
      return /^\d+$/.test(name) ? [statOf(name)] : []
    } catch {
      // The process has ended.
      return []
    }
  })
  const children = running.filter(({ parent }) => parent === pid)
  return children.reduce((sum, child) => sum + child.ownUs, ownUs + endedChildrenUs)
}

/** Returns the resident memory of a process, in MiB. */
export function residentMib({ pid }: Server): number {
  return memoryMib(pid, 'VmRSS')
}

/** Returns the resident memory of a process that is no part of a file, in MiB. */
export function anonymousMib({ pid }: Server): number {
  return memoryMib(pid, 'RssAnon')
}

function memoryMib(pid: number, name: 'VmRSS' | 'RssAnon'): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1]) / 1024
}
