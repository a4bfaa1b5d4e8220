import { randomBytes } from 'node:crypto'
import { makeSecretBox } from './delivery/secret-box.ts'
import { storedInstant } from './model/instant.ts'
import { KEY_RANDOM_BYTES, keyText } from './model/key.ts'
import { type ChoreId, choreOf } from './shop/commands.ts'
import { findEnds } from './shop/events.ts'
import { hasAdminKey, isKeyKnown } from './shop/keys.ts'
import { readNote } from './shop/notes.ts'
import type { Reply } from './shop/replies.ts'
import { DELIVERY_KEPT_MS } from './shop/retention.ts'
import { hasSealedSecret } from './shop/webhooks.ts'
import { faultText, type Log, type StoreEngine } from './store.ts'

/** Commands that one sweep runs for one kind of row, at most: a thousand rows each. */
const SWEEPS_MAX = 1000
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

/** Forgets what is out of date: replies, rows of an import that was left, events, deliveries. */
export async function sweep({ engine, log, clock, eventRetention }: SweepOptions): Promise<void> {
  try {
    await sweepAll(engine, 'sweepReplies', {}, clock)
    await runChore(engine, 'sweepStagedRows', {}, clock)
    if (eventRetention !== 'forever') await sweepEvents(engine, clock, eventRetention)
    // A delivery is of no use without its event.
    const keptMs =
      eventRetention === 'forever' ? DELIVERY_KEPT_MS : Math.min(DELIVERY_KEPT_MS, eventRetention)
    await sweepAll(engine, 'sweepDeliveries', { before: storedInstant(clock() - keptMs) }, clock)
  } catch (error) {
    log.error({ fault: faultText(error) }, 'what is out of date was not swept')
  }
}

/** Sweeps a bounded number of rows again and again, each time in a command of its own, until there are none. */
async function sweepAll(
  engine: StoreEngine,
  id: 'sweepReplies' | 'sweepDeliveries',
  input: object,
  clock: () => number,
): Promise<void> {
  for (let sweeps = 0; sweeps < SWEEPS_MAX; sweeps++) {
    const { body } = await runChore(engine, id, input, clock)
    if (body === '0') return
  }
}

async function sweepEvents(engine: StoreEngine, clock: () => number, keptMs: number): Promise<void> {
  const before = storedInstant(clock() - keptMs)
  let from = -1n
  for (let sweeps = 0; sweeps < SWEEPS_MAX; sweeps++) {
    const { horizon } = await engine.readRow(findEnds)
    if (horizon === from) return
    from = horizon
    await runChore(engine, 'sweepEvents', { before }, clock)
  }
}
