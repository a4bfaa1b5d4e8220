import { readFileSync } from 'node:fs'

/** In /proc, Linux counts processor time in hundredths of a second, on every architecture that Bun supports. */
const US_PER_TICK = 10_000

/** Returns the processor time of a process so far, in all its threads, user and system, in microseconds. */
export function cpuUs(pid: number | 'self'): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The name of the program, in parentheses, may contain spaces. utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * US_PER_TICK
}
