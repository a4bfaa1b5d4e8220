import { readFileSync } from 'node:fs'

/** Returns the resident memory of a process, in MiB. */
export function residentMib({ pid }: { readonly pid: number }): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
