import { setTimeout as delay } from 'node:timers/promises'
import { countOf, type SystemCommandId, systemCommand } from '../shop/commands.ts'
import { newKey } from '../shop/keys/schema.ts'
import { hasAdminKey, isKeyKnown } from '../shop/keys/verbs.ts'
import { DELIVERY_RETENTION_MS } from '../shop/log/retention.ts'
import { readMetadata } from '../shop/metadata.ts'
import { hasEncryptedSecret } from '../shop/webhooks/verbs.ts'
import { storedInstant } from '../values/instant.ts'
import { faultText, type Log } from '../values/log.ts'
import type { StoreEngine } from './open.ts'
import { makeSecretBox } from './secret-box.ts'

const FIRST_SWEEP_MS = 10_000
const SWEEP_EVERY_MS = 600_000
const SWEEP_RETRY_MS = 30_000
/** The longest pause between two commands of a sweep. */
const PAUSE_MAX_MS = 100
/** The plaintext of a check value in the database. A key that decrypts the check value is the right key. */
const KEY_CHECK = 'petstore'

/**
 * Returns whether this key can decrypt the secrets in the database. The first key that is passed to this function
 * becomes the right key.
 */
export async function isSecretKeyRight(
  engine: StoreEngine,
  key: Uint8Array,
  clock: () => number,
): Promise<boolean> {
  const box = makeSecretBox(key)
  const read = () => engine.readShort(reader => readMetadata(reader, 'secret-key'))
  let checkValue = await read()
  // Only the first start writes the check value. A write would delay every other start, because it must wait until the
  // writer has loaded its modules.
  if (checkValue === undefined) {
    const value = box.encrypt(KEY_CHECK)
    await runSystemCommand(engine, 'insertMetadata', { name: 'secret-key', value }, clock)
    checkValue = await read()
  }
  return checkValue !== undefined && isSecretKeyOf(checkValue, key)
}

/** Returns whether this key decrypts the check value of a database. */
export function isSecretKeyOf(checkValue: string, key: Uint8Array): boolean {
  try {
    return makeSecretBox(key).decrypt(checkValue) === KEY_CHECK
  } catch {
    return false
  }
}

/**
 * Makes this key the right key and returns true. Returns false, and changes nothing, if the store has an encrypted
 * secret.
 */
export async function adoptSecretKey(
  engine: StoreEngine,
  key: Uint8Array,
  clock: () => number,
): Promise<boolean> {
  if (await engine.readShort(hasEncryptedSecret)) return false
  const value = makeSecretBox(key).encrypt(KEY_CHECK)
  await runSystemCommand(engine, 'replaceMetadata', { name: 'secret-key', value }, clock)
  return true
}

/** The file to which the store writes a generated admin key. */
export interface KeyFile {
  /** Returns the key in the file, if there is one. */
  read(): string | undefined
  /** Writes the key durably, or throws and leaves no new file. */
  write(key: string): void
}

/**
 * Ensures that an admin key exists. A given key becomes an admin key. If a file is given instead, and no valid key has
 * the scope admin, a key is added. It is the key in the file if that was never committed, otherwise a new key. The file
 * is written before the commit, so a start that fails in between leaves a key that the next start commits.
 *
 * Returns whether a key was added. An added key is also in the file. Returns false for a given key.
 */
export async function ensureAdminKey(
  engine: StoreEngine,
  given: string | KeyFile,
  clock: () => number,
): Promise<boolean> {
  if (typeof given === 'string') {
    await runSystemCommand(engine, 'installAdminKey', { token: given, madeBy: 'environment' }, clock)
    return false
  }
  if (await engine.readShort(reader => hasAdminKey(reader, storedInstant(clock())))) return false
  const token = (await uncommittedKey(engine, given)) ?? newKey()
  given.write(token)
  await runSystemCommand(engine, 'installAdminKey', { token, madeBy: 'first start' }, clock)
  return true
}

/**
 * Writes a new admin key to the file and then to the store, whatever keys exist. `revokeOthers` also revokes the other
 * admin keys.
 */
export async function resetAdminKey(
  engine: StoreEngine,
  file: KeyFile,
  revokeOthers: boolean,
  clock: () => number,
): Promise<void> {
  const token = newKey()
  file.write(token)
  await runSystemCommand(engine, 'resetAdminKey', { token, revokeOthers }, clock)
}

/**
 * Returns the key that an earlier start wrote to the file but did not commit. Returns undefined if there is no file, or
 * if its key was ever committed.
 */
async function uncommittedKey(engine: StoreEngine, file: KeyFile): Promise<string | undefined> {
  const token = file.read()
  if (token === undefined) return undefined
  return (await engine.readShort(reader => isKeyKnown(reader, token))) ? undefined : token
}

/** Runs a system command and returns its count. */
async function runSystemCommand(
  engine: StoreEngine,
  id: SystemCommandId,
  input: object,
  clock: () => number,
): Promise<number> {
  return countOf(await engine.execute(systemCommand(id, input, storedInstant(clock()), 'petstore')))
}

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
 * Deletes all expired rows: stored replies, rows of abandoned imports, events, deliveries. Returns whether it
 * succeeded.
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
    if (eventRetention !== 'forever') await sweepAll('sweepEvents', before(eventRetention))
    // A delivery is useless without its event.
    const keptMs =
      eventRetention === 'forever' ? DELIVERY_RETENTION_MS : Math.min(DELIVERY_RETENTION_MS, eventRetention)
    await sweepAll('sweepDeliveries', before(keptMs))
    return true
  } catch (error) {
    log.error({ fault: faultText(error) }, 'expired rows were not deleted')
    return false
  }
}

type SweepId = 'sweepReplies' | 'sweepStagedRows' | 'sweepEvents' | 'sweepDeliveries'

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

/** Resolves to true after a delay, or to false when sweeping stops. */
function pause(ms: number, stopping?: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal: stopping, ref: false }).catch(() => false)
}
