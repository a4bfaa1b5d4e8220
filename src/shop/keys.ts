import type { Page } from '../contract/operation.ts'
import { type Reading, sql, type Tx } from '../engine/engine.ts'
import { StoreError, validationFailed } from '../model/error.ts'
import { sentInstant, toStoredInstant } from '../model/instant.ts'
import { readJsonText, writeJson } from '../model/json.ts'
import {
  type ApiKey,
  type CreatedApiKey,
  keyHash,
  keyHint,
  keyText,
  type NewApiKey,
  Scope,
} from '../model/key.ts'
import type { Caller, Context } from './context.ts'
import { isNull, type ListQuery, listPage } from './lists.ts'

interface KeyRow {
  readonly id: bigint
  readonly name: string
  readonly scopes: string
  readonly hint: string
  readonly createdAt: string
  readonly expiresAt: string | null
}

const keyColumns = `id, name, scopes, hint, created_at AS "createdAt", expires_at AS "expiresAt"`

const findKeyByHash = sql<KeyRow>(`SELECT ${keyColumns} FROM api_key WHERE hash = $1 AND revoked_at IS NULL`)

const insertKey = sql(`
  INSERT INTO api_key (id, name, scopes, hint, hash, made_by, created_at, expires_at, revoked_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL)`)

const markRevoked = sql<{ id: bigint }>(
  'UPDATE api_key SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id',
)

const revokeOthersOfEnvironment = sql(`
  UPDATE api_key SET revoked_at = $2 WHERE made_by = 'environment' AND hash <> $1 AND revoked_at IS NULL`)

const reviveEnvironmentKey = sql<{ id: bigint }>(`
  UPDATE api_key SET revoked_at = NULL WHERE hash = $1 AND made_by = 'environment' RETURNING id`)

const findActiveKeys = sql<Pick<KeyRow, 'scopes' | 'expiresAt'>>(
  'SELECT scopes, expires_at AS "expiresAt" FROM api_key WHERE revoked_at IS NULL',
)

/** Sets of scopes that are remembered, at most. */
const SCOPE_SETS_MAX = 1000

/** Who a key belongs to. Throws `invalid_token` for one that is unknown, revoked or expired at `now`. */
export async function findCaller(reading: Reading, token: string, now: string): Promise<Caller> {
  const key = await reading.one(findKeyByHash, keyHash(token))
  if (!key) throw new StoreError('invalid_token', 'The key is unknown or was revoked.')
  if (key.expiresAt !== null && key.expiresAt <= now)
    throw new StoreError('invalid_token', 'The key has expired.')
  return { keyId: key.id, scopes: readScopes(key.scopes) }
}

/** Whether a caller may do what asks for `scope`. */
export function holds(caller: Caller, scope: Scope): boolean {
  return caller.scopes.includes(scope) || caller.scopes.includes('admin')
}

/** Lists the keys that were not revoked, without their secrets. */
export async function listKeys(reading: Reading, input: ListQuery): Promise<Page<ApiKey>> {
  return listPage(
    reading,
    {
      list: 'listKeys',
      table: 'api_key',
      columns: keyColumns,
      input,
      filters: {},
      sort: { column: 'id', descending: false },
      branches: [[isNull('revoked_at')]],
    },
    keyOf,
  )
}

/** Makes a key, of the scopes its maker holds. Throws `insufficient_scope`; `validation_failed` for a past expiry. */
export async function createKey(
  tx: Tx,
  { body }: { body: NewApiKey },
  context: Context,
): Promise<CreatedApiKey> {
  const { name } = body
  const scopes = [...new Set(body.scopes)]
  const beyond = scopes.find(scope => !holds(context.caller, scope))
  if (beyond) {
    throw new StoreError('insufficient_scope', `A key without the scope ${beyond} cannot grant it.`, {
      scope: beyond,
    })
  }
  const expiresAt = body.expiresAt ? toStoredInstant(body.expiresAt) : null
  if (expiresAt !== null && expiresAt <= context.now) {
    throw validationFailed([
      {
        in: 'body',
        pointer: '/expiresAt',
        code: 'out_of_range',
        message: 'expiresAt must be in the future.',
      },
    ])
  }
  if (context.random === undefined) throw new Error('createKey was given no randomness')
  const key = keyText(Buffer.from(context.random, 'hex'))
  const row: KeyRow = {
    id: await tx.nextId('key'),
    name,
    scopes: writeJson(scopes),
    hint: keyHint(key),
    createdAt: context.now,
    expiresAt,
  }
  await tx.run(insertKey, row.id, name, row.scopes, row.hint, keyHash(key), 'key', context.now, expiresAt)
  return { ...keyOf(row), key }
}

/** Revokes a key at once. Throws `key_not_found`. */
export async function revokeKey(tx: Tx, { keyId }: { keyId: bigint }, context: Context): Promise<undefined> {
  if (!(await tx.one(markRevoked, keyId, context.now))) {
    throw new StoreError('key_not_found', `Key ${keyId} does not exist or was revoked.`)
  }
  return undefined
}

/** Whether some key can still administer the store. */
export async function hasAdminKey(reading: Reading, now: string): Promise<boolean> {
  const keys = await reading.many(findActiveKeys)
  return keys.some(
    ({ scopes, expiresAt }) =>
      readScopes(scopes).includes('admin') && (expiresAt === null || expiresAt > now),
  )
}

/** The admin key of a first start, or the one that the environment sets: that replaces the one it set before. */
export async function installAdminKey(
  tx: Tx,
  { token, madeBy }: { token: string; madeBy: 'first start' | 'environment' },
  context: Context,
): Promise<void> {
  const hash = keyHash(token)
  if (madeBy === 'environment') {
    await tx.run(revokeOthersOfEnvironment, hash, context.now)
    if (await tx.one(reviveEnvironmentKey, hash)) return
  }
  const id = await tx.nextId('key')
  await tx.run(
    insertKey,
    id,
    `admin (${madeBy})`,
    writeJson(['admin']),
    keyHint(token),
    hash,
    madeBy,
    context.now,
    null,
  )
}

function keyOf({ id, name, scopes, hint, createdAt, expiresAt }: KeyRow): ApiKey {
  return {
    id,
    name,
    scopes: [...readScopes(scopes)],
    hint,
    createdAt: sentInstant(createdAt),
    ...(expiresAt !== null && { expiresAt: sentInstant(expiresAt) }),
  }
}

const scopesRead = new Map<string, readonly Scope[]>()

/** Read once for each of the few sets of scopes there are: every request with a key asks. */
function readScopes(stored: string): readonly Scope[] {
  const known = scopesRead.get(stored)
  if (known) return known
  const scopes = Scope.array().parse(readJsonText(stored))
  if (scopesRead.size < SCOPE_SETS_MAX) scopesRead.set(stored, scopes)
  return scopes
}
