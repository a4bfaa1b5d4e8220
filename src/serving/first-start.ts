import { randomBytes } from 'node:crypto'
import { readMetadata } from '../shop/kernel/metadata.ts'
import { newKey } from '../shop/keys/key-text.ts'
import { hasAdminKey, isKeyKnown } from '../shop/keys/verbs.ts'
import { hasPricedOrder } from '../shop/orders/verbs.ts'
import { readSecrets } from '../shop/webhooks/secrets.ts'
import { hasEncryptedSecret } from '../shop/webhooks/verbs.ts'
import { CURRENCY_DEFAULT } from '../values/currency.ts'
import { storedInstant } from '../values/instant.ts'
import { makeSecretBox } from '../values/secret-box.ts'
import type { StoreEngine } from './open.ts'
import { runSystemCommand } from './system-command.ts'

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
  // Only the first start writes the check value: a write waits until the writer has loaded its modules.
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

/**
 * Encrypts every secret with a new key, which becomes the right key. Returns the number of webhooks; `wrong key`, and
 * changes nothing, if `old` is not the right key; `changed`, if a webhook was changed meanwhile. If the new key is the
 * right key already, nothing is left to do.
 */
export async function replaceSecretKey(
  engine: StoreEngine,
  { old, key }: { readonly old: Uint8Array; readonly key: Uint8Array },
  clock: () => number,
): Promise<number | 'wrong key' | 'changed'> {
  const was = await engine.readShort(readSecrets)
  const checkValue = await engine.readShort(reader => readMetadata(reader, 'secret-key'))
  if (checkValue !== undefined && isSecretKeyOf(checkValue, key)) return was.length
  if (checkValue === undefined || !isSecretKeyOf(checkValue, old)) return 'wrong key'
  const [before, after] = [makeSecretBox(old), makeSecretBox(key)]
  const again = (secret: string): string => after.encrypt(before.decrypt(secret))
  const secrets = was.map(({ id, secret, previousSecret }) => ({
    id,
    secret: again(secret),
    previousSecret: previousSecret === null ? null : again(previousSecret),
  }))
  const input = { was, secrets, checkValue: after.encrypt(KEY_CHECK) }
  return (await runSystemCommand(engine, 'replaceSecrets', input, clock)) === 0 ? was.length : 'changed'
}

/** Returns the id of a store, 8 hexadecimal digits, which the first call chooses. A copy of the store has the same. */
export async function settleStoreId(engine: StoreEngine, clock: () => number): Promise<string> {
  const read = () => engine.readShort(reader => readMetadata(reader, 'store-id'))
  const known = await read()
  if (known !== undefined) return known
  const value = randomBytes(4).toString('hex')
  await runSystemCommand(engine, 'insertMetadata', { name: 'store-id', value }, clock)
  return (await read()) ?? value
}

/** Thrown if another currency is requested than that of the prices in orders. The message is a sentence. */
export class CurrencyBound extends Error {}

/**
 * Returns the currency that a store has, or gets from `settleCurrency`: the requested one, the recorded one, or EUR.
 * Throws CurrencyBound.
 */
export async function currencyFor(engine: StoreEngine, requested: string | undefined): Promise<string> {
  const recorded = await engine.readShort(reader => readMetadata(reader, 'currency'))
  if (recorded === undefined || requested === undefined || requested === recorded)
    return requested ?? recorded ?? CURRENCY_DEFAULT
  if (await engine.readShort(hasPricedOrder)) throw currencyBound(requested, recorded)
  return requested
}

function currencyBound(requested: string, recorded: string | undefined): CurrencyBound {
  return new CurrencyBound(
    `PETSTORE_CURRENCY=${requested}: this store has orders with prices in ${recorded}.`,
  )
}

/** Records the currency of a store, and returns it. Throws CurrencyBound. */
export async function settleCurrency(
  engine: StoreEngine,
  requested: string | undefined,
  clock: () => number,
): Promise<string> {
  const currency = await currencyFor(engine, requested)
  const read = () => engine.readShort(reader => readMetadata(reader, 'currency'))
  if (currency === (await read())) return currency
  // Another process may have changed the currency, or sold something, since it was read.
  const isBound = await runSystemCommand(engine, 'changeCurrency', { currency }, clock)
  if (isBound !== 0) throw currencyBound(currency, await read())
  return currency
}

/** The file to which the store writes a generated admin key. */
export interface KeyFile {
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
