import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeWholeFile } from '../engine/private-file.ts'
import { CommandFailed, reasonOf } from './terminal.ts'

/**
 * Notes in the data directory where processes of this machine reach the store that holds it, and which process that
 * is. Throws CommandFailed.
 */
export function announce(directory: string, address: string): void {
  const file = addressFile(directory)
  try {
    writeWholeFile(file, `${address}\n${process.pid}\n`, { replace: true })
  } catch (error) {
    throw new CommandFailed(`The address of the store cannot be written to ${file}: ${reasonOf(error)}.`)
  }
}

/** Removes the note of this process, or of one that has ended. */
export function withdraw(directory: string): void {
  try {
    rmSync(addressFile(directory), { force: true })
  } catch {
    // What remains names a process that has ended: nobody follows it.
  }
}

/** Where the store that holds a data directory is reached. What a process that has ended noted counts for nothing. */
export function announced(directory: string): string | undefined {
  try {
    const [address = '', pid = ''] = readFileSync(addressFile(directory), 'utf8').split('\n')
    return address.startsWith('http://') && isAlive(Number(pid)) ? address : undefined
  } catch {
    return undefined
  }
}

/**
 * The address of a listener as seen from its own machine: never the public base URL, which may be another host. A
 * listener on every interface is reached by loopback.
 */
export function localAddress(host: string, port: number): string {
  const written = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const name = URL.canParse(`http://${written}`) ? new URL(`http://${written}`).hostname : written
  const reached: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }
  return `http://${reached[name] ?? name}:${port}`
}

function addressFile(directory: string): string {
  return join(directory, 'address')
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
