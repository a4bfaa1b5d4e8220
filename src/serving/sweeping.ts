import { setTimeout as delay } from 'node:timers/promises'
import { DELIVERY_RETENTION_MS } from '../shop/webhooks/retention.ts'
import { storedInstant } from '../values/instant.ts'
import { errorText, type Log } from '../values/log.ts'
import type { StoreEngine } from './open.ts'
import { runSystemCommand } from './system-command.ts'

const FIRST_SWEEP_MS = 10_000
const SWEEP_EVERY_MS = 600_000
const SWEEP_RETRY_MS = 30_000
/** The longest pause between two commands of a sweep. */
const PAUSE_MAX_MS = 100

/** The dependencies of a sweep. */
export interface SweepOptions {
  readonly engine: StoreEngine
  readonly log: Log
  /** Returns the time by which rows expire, in milliseconds since 1970. */
  readonly clock: () => number | Promise<number>
  /** The time for which events are kept, in milliseconds. */
  readonly eventRetention: number | 'forever'
}

/**
 * Sweeps repeatedly, one sweep at a time, until `stop` is called. `stop` resolves when the current command has ended;
 * the next process sweeps the rest.
 */
export function startSweeping(options: SweepOptions, times: SweepTimes = {}): { stop(): Promise<void> } {
  const { firstMs = FIRST_SWEEP_MS, everyMs = SWEEP_EVERY_MS, retryMs = SWEEP_RETRY_MS } = times
  const stopping = new AbortController()
  const run = async (): Promise<void> => {
    for (let waitMs = firstMs; await pause(waitMs, stopping.signal); ) {
      waitMs = (await sweep(options, stopping.signal)) ? everyMs : retryMs
    }
  }
  const running = run()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

/** The delays before the first sweep, between two sweeps, and after a failed sweep, in milliseconds. */
export interface SweepTimes {
  readonly firstMs?: number
  readonly everyMs?: number
  readonly retryMs?: number
}

/**
 * Deletes all expired rows: stored replies, rows of abandoned imports, codes for keys, events, deliveries. Returns
 * whether it succeeded.
 */
export async function sweep(options: SweepOptions, stopping?: AbortSignal): Promise<boolean> {
  const { engine, log, eventRetention } = options
  try {
    const nowMs = await options.clock()
    const before = (keptMs: number): { before: string } => ({ before: storedInstant(nowMs - keptMs) })
    const sweepAll = async (id: SweepId, input: object): Promise<void> => {
      const deleted = await sweepRows({ engine, nowMs, id, input }, stopping)
      if (deleted > 0) log.info({ sweep: id, deleted, ...input }, 'expired rows were deleted')
    }
    await sweepAll('sweepReplies', {})
    await sweepAll('sweepStagedRows', {})
    await sweepAll('sweepHandovers', {})
    if (eventRetention !== 'forever') await sweepAll('sweepEvents', before(eventRetention))
    // A delivery is useless without its event.
    const keptMs =
      eventRetention === 'forever' ? DELIVERY_RETENTION_MS : Math.min(DELIVERY_RETENTION_MS, eventRetention)
    await sweepAll('sweepDeliveries', before(keptMs))
    return true
  } catch (error) {
    log.error({ error: errorText(error) }, 'expired rows were not deleted')
    return false
  }
}

type SweepId = 'sweepReplies' | 'sweepStagedRows' | 'sweepHandovers' | 'sweepEvents' | 'sweepDeliveries'

/**
 * Runs commands that delete a limited number of rows each, until no such row is left. Pauses after each command,
 * because the shop has priority. Returns the number of deleted rows.
 */
async function sweepRows(
  { engine, nowMs, id, input }: { engine: StoreEngine; nowMs: number; id: SweepId; input: object },
  stopping?: AbortSignal,
): Promise<number> {
  let deleted = 0
  while (!stopping?.aborted) {
    const startedMs = performance.now()
    const count = await runSystemCommand(engine, id, input, () => nowMs)
    if (count === 0) break
    deleted += count
    // On a busy store a command takes longer, so the pause is longer too.
    await pause(Math.min(performance.now() - startedMs, PAUSE_MAX_MS), stopping)
  }
  return deleted
}

/** Resolves to true after a delay in milliseconds, or to false when `stopping` is aborted. */
export function pause(ms: number, stopping?: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal: stopping, ref: false }).catch(() => false)
}
