import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Notes in the data directory where the store that holds it listens. */
export function announce(directory: string, base: string): void {
  writeFileSync(join(directory, 'address'), `${base}\n`)
}

export function withdraw(directory: string): void {
  rmSync(join(directory, 'address'), { force: true })
}

/** Where the store that holds a data directory listens, if it said so. */
export function announced(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, 'address'), 'utf8').trim()
  } catch {
    return undefined
  }
}
