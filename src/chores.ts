import { randomBytes } from 'node:crypto'
import { setTimeout as rest } from 'node:timers/promises'
import { makeSecretBox } from './delivery/secret-box.ts'
import { storedInstant } from './model/instant.ts'
import { KEY_RANDOM_BYTES, keyText } from './model/key.ts'
import { type ChoreId, choreOf } from './shop/commands.ts'
import { hasAdminKey, isKeyKnown } from './shop/keys.ts'
import { readNote } from './shop/notes.ts'
import type { Reply } from './shop/replies.ts'
import { DELIVERY_KEPT_MS } from './shop/retention.ts'
import { hasSealedSecret } from './shop/webhooks.ts'
import { faultText, type Log, type StoreEngine } from './store.ts'

const FIRST_SWEEP_MS = 10_000
const SWEEP_EVERY_MS = 600_000
const SWEEP_AGAIN_MS = 30_000
/** The longest rest between two commands of a sweep. */
const REST_MAX_MS = 100
/** What the note in the database says, sealed: who can open it has the right key. */
const KEY_CHECK = 'petstore'

/**
 * Sees to it that the secrets in the database can be opened with this key: the first key that comes is the one.
 * Answers whether this one is.
 */
export async function isSecretKeyRight(
  engine: StoreEngine,
  key: Uint8Array,
  clock: () => number,
): Promise<boolean> {
  const box = makeSecretBox(key)
  await runChore(engine, 'keepNote', { name: 'secret-key', value: box.seal(KEY_CHECK) }, clock)
  const note = await engine.readRow(reading => readNote(reading, 'secret-key'))
  try {
    return note !== undefined && box.open(note) === KEY_CHECK
  } catch {
    return false
  }
}

/** Makes a key the right one, if the store holds no secret that was sealed with another. Returns whether it did. */
export async function adoptSecretKey(
  engine: StoreEngine,
  key: Uint8Array,
  clock: () => number,
): Promise<boolean> {
  if (await engine.readRow(hasSealedSecret)) return false
  const value = makeSecretBox(key).seal(KEY_CHECK)
  await runChore(engine, 'replaceNote', { name: 'secret-key', value }, clock)
  return true
}

/** Where the store leaves the admin key that it makes. */
export interface KeyFile {
  /** The key in the file, if there is one. */
  read(): string | undefined
  /** Resolves to a durable file, or throws and leaves none. */
  write(key: string): void
}

/**
 * Makes sure that somebody can administer the store. A key that is given becomes an admin key. With a file instead, a
 * key is made if no key holds admin: the file is written before the key is committed, so a start that fails in between
 * leaves a file whose key the next start commits. Returns whether a key was made.
 */
export async function ensureAdminKey(
  engine: StoreEngine,
  given: string | KeyFile,
  clock: () => number,
): Promise<boolean> {
  if (typeof given === 'string') {
    await runChore(engine, 'installAdminKey', { token: given, madeBy: 'environment' }, clock)
    return false
  }
  if (await engine.readRow(reading => hasAdminKey(reading, storedInstant(clock())))) return false
  const token = (await uncommittedKey(engine, given)) ?? newKey()
  given.write(token)
  await runChore(engine, 'installAdminKey', { token, madeBy: 'first start' }, clock)
  return true
}

/** Makes a new admin key in the file and then in the store, whatever keys there are; can revoke the other ones. */
export async function resetAdminKey(
  engine: StoreEngine,
  file: KeyFile,
  revokeOthers: boolean,
  clock: () => number,
): Promise<void> {
  const token = newKey()
  file.write(token)
  await runChore(engine, 'resetAdminKey', { token, revokeOthers }, clock)
}

/** The key of a start that ended between the file and the commit. A key that was ever committed is not used again. */
async function uncommittedKey(engine: StoreEngine, file: KeyFile): Promise<string | undefined> {
  const token = file.read()
  if (token === undefined) return undefined
  return (await engine.readRow(reading => isKeyKnown(reading, token))) ? undefined : token
}

function newKey(): string {
  return keyText(randomBytes(KEY_RANDOM_BYTES))
}

function runChore(engine: StoreEngine, id: ChoreId, input: object, clock: () => number): Promise<Reply> {
  return engine.execute(choreOf(id, input, storedInstant(clock()), 'petstore'))
}

/** What a sweep needs to know. */
export interface SweepOptions {
  readonly engine: StoreEngine
  readonly log: Log
  readonly clock: () => number
  /** How long events are kept, in milliseconds. */
  readonly eventRetention: number | 'forever'
}

/**
 * Sweeps soon, and again and again, one sweep at a time. `stop` resolves when the command under way has ended; what
 * is left then is swept by the next process.
 */
export function startSweeping(options: SweepOptions, times: SweepTimes = {}): { stop(): Promise<void> } {
  const { firstMs = FIRST_SWEEP_MS, everyMs = SWEEP_EVERY_MS, againMs = SWEEP_AGAIN_MS } = times
  const stopping = new AbortController()
  const run = async (): Promise<void> => {
    for (let waitMs = firstMs; await rested(waitMs, stopping.signal); ) {
      waitMs = (await sweep(options, stopping.signal)) ? everyMs : againMs
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

/** In milliseconds: before the first sweep, between two, and after one that failed. */
export interface SweepTimes {
  readonly firstMs?: number
  readonly everyMs?: number
  readonly againMs?: number
}

/**
 * Deletes what is out of date until nothing is: replies, rows of an import that was abandoned, events, deliveries.
 * Returns whether it succeeded.
 */
export async function sweep(options: SweepOptions, stopping?: AbortSignal): Promise<boolean> {
  const { log, clock, eventRetention } = options
  const before = (keptMs: number): { before: string } => ({ before: storedInstant(clock() - keptMs) })
  try {
    await sweepAll(options, 'sweepReplies', {}, stopping)
    await sweepAll(options, 'sweepStagedRows', {}, stopping)
    if (eventRetention !== 'forever') await sweepAll(options, 'sweepEvents', before(eventRetention), stopping)
    // A delivery is of no use without its event.
    const keptMs =
      eventRetention === 'forever' ? DELIVERY_KEPT_MS : Math.min(DELIVERY_KEPT_MS, eventRetention)
    await sweepAll(options, 'sweepDeliveries', before(keptMs), stopping)
    return true
  } catch (error) {
    log.error({ fault: faultText(error) }, 'what is out of date was not swept')
    return false
  }
}

/** Deletes a bounded number of rows per command until none are left, and rests after each: the shop goes first. */
async function sweepAll(
  { engine, clock }: SweepOptions,
  id: 'sweepReplies' | 'sweepStagedRows' | 'sweepEvents' | 'sweepDeliveries',
  input: object,
  stopping?: AbortSignal,
): Promise<void> {
  while (!stopping?.aborted) {
    const beganMs = performance.now()
    const { body } = await runChore(engine, id, input, clock)
    if (body === '0') return
    // A busy store takes longer for a command, and gets longer rests.
    await rested(Math.min(performance.now() - beganMs, REST_MAX_MS), stopping)
  }
}

/** Resolves after a while, or when the sweeping stops: then to false. */
function rested(ms: number, stopping?: AbortSignal): Promise<boolean> {
  return rest(ms, true, { signal: stopping, ref: false }).catch(() => false)
}
