import { readdirSync, readFileSync } from 'node:fs'

/** In /proc, Linux counts processor time in hundredths of a second, on every architecture that Bun supports. */
const US_PER_TICK = 10_000

interface ProcessTimes {
  readonly parent: number
  /** The time of all threads, user and system, in microseconds. */
  readonly ownUs: number
  /** The same of the children that have ended. */
  readonly endedChildrenUs: number
}

function timesOf(pid: number | 'self'): ProcessTimes {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The name of the program, in parentheses, may contain spaces. The second field after it is the parent; the 12th to
  // the 15th are utime, stime, cutime and cstime.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const ticks = (first: number): number => (fields[first] ?? 0) + (fields[first + 1] ?? 0)
  return { parent: fields[1] ?? 0, ownUs: ticks(11) * US_PER_TICK, endedChildrenUs: ticks(13) * US_PER_TICK }
}

/** Returns the processor time of a process so far, in all its threads, user and system, in microseconds. */
export function cpuUs(pid: number | 'self'): number {
  return timesOf(pid).ownUs
}

/** Returns the processor time of a process and its children so far, including the children that have ended. */
export function cpuUsOfTree(pid: number): number {
  const { ownUs, endedChildrenUs } = timesOf(pid)
  const children = readdirSync('/proc').flatMap(name => {
    try {
      return /^\d+$/.test(name) ? [timesOf(Number(name))] : []
    } catch {
      // The process has ended.
      return []
    }
  })
  const running = children.filter(({ parent }) => parent === pid)
  return running.reduce((sum, child) => sum + child.ownUs, ownUs + endedChildrenUs)
}
