import { type StoreError, validationFailed } from '../../contract/error.ts'
import type { Input, Page } from '../../contract/operation.ts'
import { expiredKey, unknownKey } from '../../contract/refusals.ts'
import { hasScope, scopeNames } from '../../contract/scopes.ts'
import { type Reader, Stale, type Tx } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { formatInstant, toStoredInstant } from '../../values/instant.ts'
import { writeJson } from '../../values/json.ts'
import { storedNames } from '../../values/stored-names.ts'
import type { Caller, Context, QueryContext } from '../kernel/context.ts'
import { type CommandsOf, onResource, type QueriesOf } from '../kernel/handlers.ts'
import { isNull, listPage } from '../kernel/paging.ts'
import { type EventSubject, recordEvent } from '../log/recording.ts'
import { keyHash, keyHint } from './key-text.ts'
import type { keys } from './operations.ts'
import { beyondScope, keyNotFound, lastAdminKey } from './refusals.ts'
import type { ApiKey, CreatedApiKey, NewApiKey, Scope } from './schema.ts'

interface KeyRow {
  readonly id: bigint
  readonly name: string
  readonly scopes: string
  readonly hint: string
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly version: bigint
}

interface RevokedAt {
  readonly revokedAt: string | null
}

const keyColumns = `id, name, scopes, hint, created_at AS "createdAt", expires_at AS "expiresAt", version`

const findKeyByHash = sql<KeyRow>()(
  `SELECT ${keyColumns} FROM api_key WHERE hash = $hash AND revoked_at IS NULL`,
)

const findActiveKey = sql<KeyRow>()(
  `SELECT ${keyColumns} FROM api_key WHERE id = $keyId AND revoked_at IS NULL`,
)

const insertKeyText = `
  INSERT INTO api_key (id, name, scopes, hint, hash, made_by, created_at, expires_at, revoked_at, version)
  VALUES ($keyId, $name, $scopes, $hint, $hash, $madeBy, $now, $expiresAt, NULL, 1)`

const insertKey = sql()(insertKeyText)

/** Inserts a key unless the store has it: several processes can start at the same time with the same key. */
const insertKeyOnce = sql()(`${insertKeyText} ON CONFLICT (hash) DO NOTHING`)

const markRevoked = sql<KeyRow>()(`
  UPDATE api_key SET revoked_at = $now, version = version + 1 WHERE id = $keyId AND revoked_at IS NULL
  RETURNING ${keyColumns}`)

const revokeOthersOfEnvironment = sql<KeyRow>()(`
  UPDATE api_key SET revoked_at = $now, version = version + 1
  WHERE made_by = 'environment' AND hash <> $hash AND revoked_at IS NULL
  RETURNING ${keyColumns}`)

const markAsEnvironmentKey = sql<KeyRow & RevokedAt>()(`
  UPDATE api_key SET made_by = 'environment' WHERE hash = $hash
  RETURNING ${keyColumns}, revoked_at AS "revokedAt"`)

const makeAdmin = sql<KeyRow>()(`
  UPDATE api_key SET scopes = $scopes, expires_at = NULL, revoked_at = NULL, version = version + 1 WHERE id = $keyId
  RETURNING ${keyColumns}`)

const replaceKey = sql()(`
  UPDATE api_key SET hash = $hash, hint = $hint, scopes = $scopes, expires_at = NULL, revoked_at = NULL
  WHERE id = $keyId`)

const revokeMadeUntil = sql()(`
  UPDATE api_key SET revoked_at = $until, version = version + 1
  WHERE id <> 1 AND created_at <= $until AND revoked_at IS NULL`)

const findActiveKeys = sql<Pick<KeyRow, 'id' | 'scopes' | 'expiresAt'>>()(
  'SELECT id, scopes, expires_at AS "expiresAt" FROM api_key WHERE revoked_at IS NULL',
)

/** The row that every revocation of an admin key updates, so that PostgreSQL runs them one after the other. */
const lockAdminKeys = sql()(`UPDATE counter SET last = last WHERE noun = 'key'`)

const findAnyByHash = sql<{ id: bigint }>()('SELECT id FROM api_key WHERE hash = $hash')

const findExpiry = sql<Pick<KeyRow, 'expiresAt'>>()(
  'SELECT expires_at AS "expiresAt" FROM api_key WHERE id = $keyId AND revoked_at IS NULL',
)

const SCOPE_SETS_MAX = 1000

/** Returns the caller of a key. Throws `invalid_token` if the key is unknown, revoked or expired at `now`. */
export async function findCaller(reader: Reader, token: string, now: string): Promise<Caller> {
  const key = await reader.one(findKeyByHash, { hash: keyHash(token) })
  if (!key) throw unknownKey()
  if (key.expiresAt !== null && key.expiresAt <= now) throw expiredKey()
  const { id: keyId, expiresAt } = key
  return { keyId, scopes: readScopes(key.scopes), ...(expiresAt !== null && { expiresAt }) }
}

/** Returns whether a key exists and is neither revoked nor expired at `now`. */
export async function isKeyValid(reader: Reader, keyId: bigint, now: string): Promise<boolean> {
  return isUnexpired(await reader.one(findExpiry, { keyId }), now)
}

/** Returns whether a text is a key that is neither revoked nor expired at `now`. */
export async function isTokenValid(reader: Reader, token: string, now: string): Promise<boolean> {
  return isUnexpired(await reader.one(findKeyByHash, { hash: keyHash(token) }), now)
}

function isUnexpired(key: Pick<KeyRow, 'expiresAt'> | undefined, now: string): boolean {
  return key !== undefined && (key.expiresAt === null || key.expiresAt > now)
}

/** Returns a page of the keys, without their secrets. Throws `invalid_cursor`. */
export async function listKeys(reader: Reader, input: Input<typeof keys.listKeys>): Promise<Page<ApiKey>> {
  const { include } = input
  return listPage<KeyRow & RevokedAt, ApiKey>(
    reader,
    {
      list: 'listKeys',
      table: 'api_key',
      columns: `${keyColumns}, revoked_at AS "revokedAt"`,
      input,
      filters: { include },
      sort: { column: 'id', descending: false },
      branches: include ? [[]] : [[isNull('revoked_at')]],
    },
    listedKey,
  )
}

function listedKey({ revokedAt, ...row }: KeyRow & RevokedAt): ApiKey {
  return { ...keyOf(row), ...(revokedAt !== null && { revokedAt: formatInstant(revokedAt) }) }
}

/**
 * Creates a key and returns it with its secret. Throws `insufficient_scope` if the caller does not have all scopes of
 * the new key. Throws `validation_failed` for an expiry in the past, or after the expiry of the caller's key.
 */
async function createKey(tx: Tx, { body }: { body: NewApiKey }, context: Context): Promise<CreatedApiKey> {
  const { name } = body
  const scopes = [...new Set(body.scopes)]
  const beyond = scopes.find(scope => !hasScope(context.caller, scope))
  if (beyond) throw beyondScope(beyond, 'grant it')
  const expiresAt = grantedExpiry(body.expiresAt, context)
  if (!context.secret) throw new Error('createKey received no secret')
  const { plaintext: key, stored } = context.secret
  const row: KeyRow = {
    id: await tx.nextId('key'),
    name,
    scopes: writeJson(scopes),
    hint: keyHint(key),
    createdAt: context.now,
    expiresAt,
    version: 1n,
  }
  tx.write(insertKey, { ...row, keyId: row.id, hash: stored, madeBy: 'key', now: row.createdAt })
  await recordEvent(tx, context, { type: 'petstore.key.created', ...aboutKey(row) })
  return { ...keyOf(row), key }
}

/** Returns the row of a key that is not revoked. Throws `key_not_found`. */
async function getKey(reader: Reader, { keyId }: { keyId: bigint }): Promise<KeyRow> {
  const row = await reader.one(findActiveKey, { keyId })
  if (!row) throw keyNotFound(keyId)
  return row
}

/** Returns the key of the request. Throws `invalid_token` if it was revoked after the authentication. */
async function getCurrentKey(reader: Reader, _: object, { keyId }: QueryContext): Promise<ApiKey> {
  if (keyId === null) throw new Error('getCurrentKey was called without a key')
  const row = await reader.one(findActiveKey, { keyId })
  if (!row) throw unknownKey()
  return keyOf(row)
}

/**
 * Revokes a key at once. Throws `insufficient_scope` if the key has a scope that the caller does not have, and
 * `last_admin_key` if no other admin key without an expiry is left.
 */
async function revokeKey(
  tx: Tx,
  { keyId }: { keyId: bigint },
  context: Context,
  key: KeyRow,
): Promise<undefined> {
  const beyond = readScopes(key.scopes).find(scope => !hasScope(context.caller, scope))
  if (beyond) throw beyondScope(beyond, 'revoke a key that has it')
  if (isLastingAdmin(key)) await refuseLastAdmin(tx, keyId)
  return revoke(tx, keyId, context)
}

async function refuseLastAdmin(tx: Tx, keyId: bigint): Promise<void> {
  // The lock comes first: only a statement after it sees the revocation of another transaction that held the lock.
  await tx.run(lockAdminKeys)
  const keys = await tx.many(findActiveKeys)
  if (!keys.some(key => key.id !== keyId && isLastingAdmin(key))) throw lastAdminKey(keyId)
}

function isLastingAdmin({ scopes, expiresAt }: Pick<KeyRow, 'scopes' | 'expiresAt'>): boolean {
  return expiresAt === null && readScopes(scopes).includes('admin')
}

async function revoke(tx: Tx, keyId: bigint, context: Context): Promise<undefined> {
  const row = await tx.one(markRevoked, { keyId, now: context.now })
  if (!row) throw new Stale(`key ${keyId}`)
  await recordEvent(tx, context, { type: 'petstore.key.revoked', ...aboutKey(row) })
  return undefined
}

/** Returns whether any key that is valid at `now` has the scope admin. */
export async function hasAdminKey(reader: Reader, now: string): Promise<boolean> {
  const keys = await reader.many(findActiveKeys)
  return keys.some(
    ({ scopes, expiresAt }) =>
      readScopes(scopes).includes('admin') && (expiresAt === null || expiresAt > now),
  )
}

/** Returns whether the store contains a key, even if the key has expired or is revoked. */
export async function isKeyKnown(reader: Reader, token: string): Promise<boolean> {
  return (await reader.one(findAnyByHash, { hash: keyHash(token) })) !== undefined
}

/** Adds the admin key of a first start or of the environment. A key of the environment replaces the earlier one. */
export async function installAdminKey(
  tx: Tx,
  { token, madeBy }: { token: string; madeBy: 'first start' | 'environment' },
  context: Context,
): Promise<void> {
  if (madeBy === 'environment') {
    const revoked = await tx.many(revokeOthersOfEnvironment, { hash: keyHash(token), now: context.now })
    for (const row of revoked) {
      await recordEvent(tx, context, { type: 'petstore.key.revoked', ...aboutKey(row) })
    }
    if (await adoptKey(tx, token, context)) return
  }
  await insertAdminKey(tx, token, { name: `admin (${madeBy})`, madeBy }, context)
}

/**
 * Makes an existing key the admin key of the environment and returns true: the key then has the scope admin, does not
 * expire, and is not revoked. Returns false if the key does not exist.
 */
async function adoptKey(tx: Tx, token: string, context: Context): Promise<boolean> {
  const known = await tx.one(markAsEnvironmentKey, { hash: keyHash(token) })
  if (!known) return false
  const { id, scopes, expiresAt, revokedAt } = known
  if (readScopes(scopes).includes('admin') && expiresAt === null && revokedAt === null) return true
  const adopted = await tx.one(makeAdmin, { keyId: id, scopes: writeJson(['admin']) })
  if (adopted) await recordEvent(tx, context, { type: 'petstore.key.created', ...aboutKey(adopted) })
  return true
}

/** Adds an admin key to a store whose keys are lost. `revokeOthers` revokes all other keys with the scope admin. */
export async function resetAdminKey(
  tx: Tx,
  { token, revokeOthers }: { token: string; revokeOthers: boolean },
  context: Context,
): Promise<void> {
  for (const { id, scopes } of revokeOthers ? await tx.many(findActiveKeys) : []) {
    if (readScopes(scopes).includes('admin')) await revoke(tx, id, context)
  }
  await insertAdminKey(tx, token, { name: 'admin (reset)', madeBy: 'first start' }, context)
}

/**
 * Gives the first key of a store another secret, and makes it an admin key that does not expire. No event is recorded,
 * because the store is a copy of another one, and has the same history as every other copy.
 */
export async function replaceFirstKey(
  tx: Pick<Tx, 'run'>,
  { hash, hint }: { hash: string; hint: string },
): Promise<void> {
  await tx.run(replaceKey, { keyId: 1n, hash, hint, scopes: writeJson(['admin']) })
}

/** Revokes all keys but the first one that were made until an instant. Like `replaceFirstKey`, without an event. */
export async function revokeKeysMadeUntil(tx: Pick<Tx, 'run'>, until: string): Promise<void> {
  await tx.run(revokeMadeUntil, { until })
}

async function insertAdminKey(
  tx: Tx,
  token: string,
  { name, madeBy }: { name: string; madeBy: 'first start' | 'environment' },
  context: Context,
): Promise<void> {
  const row: KeyRow = {
    id: await tx.nextId('key'),
    name,
    scopes: writeJson(['admin']),
    hint: keyHint(token),
    createdAt: context.now,
    expiresAt: null,
    version: 1n,
  }
  const hash = keyHash(token)
  const inserted = await tx.run(insertKeyOnce, { ...row, keyId: row.id, hash, madeBy, now: row.createdAt })
  if (inserted > 0) await recordEvent(tx, context, { type: 'petstore.key.created', ...aboutKey(row) })
}

function aboutKey(key: KeyRow): EventSubject {
  return { subject: `keys/${key.id}`, subjectVersion: key.version, petId: null, data: keyOf(key) }
}

/** Returns the requested expiry, or else that of the caller's key; null for none. Throws `validation_failed`. */
function grantedExpiry(requested: NewApiKey['expiresAt'], { caller, now }: Context): string | null {
  const latest = caller.expiresAt
  if (!requested) return latest ?? null
  const expiresAt = toStoredInstant(requested)
  if (expiresAt <= now) throw wrongExpiry('expiresAt must be in the future.')
  if (latest === undefined || expiresAt <= latest) return expiresAt
  throw wrongExpiry(
    `expiresAt must not be later than ${formatInstant(latest)}, when the key of this request expires.`,
  )
}

function wrongExpiry(message: string): StoreError {
  return validationFailed([{ in: 'body', pointer: '/expiresAt', code: 'out_of_range', message }])
}

/** Returns the resource for a row, without the secret. */
function keyOf({ id, name, scopes, hint, createdAt, expiresAt }: KeyRow): ApiKey {
  return {
    id,
    name,
    scopes: [...readScopes(scopes)],
    hint,
    createdAt: formatInstant(createdAt),
    ...(expiresAt !== null && { expiresAt: formatInstant(expiresAt) }),
  }
}

const parsedScopes = new Map<string, readonly Scope[]>()

/** Returns a parsed set of scopes. Up to 1,000 sets stay in memory, because each read of a caller calls this. */
function readScopes(stored: string): readonly Scope[] {
  const known = parsedScopes.get(stored)
  if (known) return known
  const scopes = storedNames(scopeNames, stored)
  if (parsedScopes.size < SCOPE_SETS_MAX) parsedScopes.set(stored, scopes)
  return scopes
}

export const keyQueries: QueriesOf<typeof keys> = { listKeys, getCurrentKey }

export const keyCommands: CommandsOf<typeof keys> = {
  createKey,
  revokeKey: onResource(getKey, keyOf, revokeKey),
}
