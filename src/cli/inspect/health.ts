import type { Command } from 'commander'
import { isRefusedConnection } from '../operations/request-failure.ts'
import { timeoutOption } from '../operations/request-options.ts'
import { findStore } from '../store-access/called-store.ts'
import { CommandFailed, print, reasonOf } from '../terminal/terminal.ts'

interface HealthOptions {
  readonly url?: string
  readonly data?: string
  readonly timeout: number
}

const TIMEOUT_SECONDS_DEFAULT = 2

/** Adds the command `health`, which checks whether a store is ready, for example as the health check of a container. */
export function addHealth(program: Command): void {
  program
    .command('health')
    .description('check whether a store is ready: exits with 0 if it is, and with 1 if it is not')
    .option('--url <url>', 'address of the store [PETSTORE_URL]')
    .option('--data <directory>', 'data directory of a store that runs on this machine [PETSTORE_DATA]')
    .addOption(timeoutOption(TIMEOUT_SECONDS_DEFAULT))
    .action(checkHealth)
}

async function checkHealth({ url: given, data, timeout }: HealthOptions): Promise<void> {
  const { url } = findStore(given, data)
  const startedMs = performance.now()
  const problem = await problemAt(url, timeout)
  if (problem !== undefined) throw new CommandFailed(`The store at ${url} is not ready: ${problem}.`)
  await print(`The store at ${url} is ready (${Math.round(performance.now() - startedMs)} ms).\n`)
}

/** Returns why a store is not ready; undefined if it is. The time limit includes the connection and the response. */
async function problemAt(url: string, timeoutSeconds: number): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(timeoutSeconds * 1000)
    const { status, body } = await fetch(`${url}/readyz`, { redirect: 'manual', signal })
    // Only the status matters, so the body, which may never end, is not read.
    await body?.cancel()
    return status === 200 ? undefined : `it responded with HTTP status ${status}`
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      return `it did not respond within ${timeoutSeconds} s`
    }
    return isRefusedConnection(error) ? 'the connection was refused' : reasonOf(error)
  }
}
