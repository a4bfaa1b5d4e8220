import type { Config } from '../../config.ts'
import { StoreError } from '../../contract/error.ts'
import type { DataLock } from '../../database/sqlite/data-lock.ts'
import { lockStopped } from '../store-access/stopped-store.ts'
import { CommandFailed, reasonOf, say } from '../terminal/terminal.ts'

/** Locks the data directory. Throws CommandFailed. */
export function lockData(directory: string): DataLock {
  return lockStopped(directory, 'Stop it, or choose another --data.')
}

/** Returns the error for a port that cannot be bound, with a one-sentence message; any other error unchanged. */
export function portFailure(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): unknown {
  if (!(error instanceof Error && 'code' in error)) return error
  return error.code === 'EADDRINUSE'
    ? new CommandFailed(
        `${host}:${port} is in use: stop the process that listens there, or choose another --port.`,
      )
    : new CommandFailed(`The store cannot listen on ${host}:${port}: ${reasonOf(error)}.`)
}

/** Returns the error for a start that the store refuses, with a sentence; any other error unchanged. */
export function startFailure(error: unknown): unknown {
  return error instanceof StoreError ? new CommandFailed(`The store cannot start: ${error.message}`) : error
}

/**
 * Calls `stop` on the first SIGTERM, SIGINT or SIGHUP, and ends the process when `stop` resolves. `secondSignal`
 * resolves on the next signal, which ends the drain early. The process ends after the drain and `stopMs` in any case.
 * This is called before the address is printed, because a program that reads the address may stop the store at once.
 */
export function stopOnSignals(
  drainSeconds: number,
  stop: (secondSignal: Promise<void>) => Promise<void>,
  stopMs = STOP_MS,
): void {
  const secondSignal = Promise.withResolvers<void>()
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isStopping) {
        secondSignal.resolve()
        return
      }
      isStopping = true
      setTimeout(
        () => {
          say('The store did not finish its work in time, and ends now.')
          process.exit(1)
        },
        stopMs + drainSeconds * 1000,
      ).unref()
      stop(secondSignal.promise).then(
        // After SIGHUP, the terminal was closed and nobody asked for a stop: a supervisor should start the store again.
        () => process.exit(signal === 'SIGHUP' ? 129 : 0),
        error => {
          say(`The store did not stop gracefully: ${reasonOf(error)}.`)
          process.exit(1)
        },
      )
    })
  }
}

/** The maximum duration of a stop after the drain. Then the process ends in any case. */
const STOP_MS = 9500
