import { z } from 'zod'
import type { Description, Operation } from './document.ts'
import { readJson, writeJson } from './json.ts'
import type { Random } from './random.ts'

/**
 * The keys of a run: the given key, and two keys for each scope that an operation requires. One of the two keys has
 * only this scope; the other key has all scopes that do not include this scope.
 */
export interface Keys {
  /** Returns a key that may use the operation; sometimes undefined if the operation requires no key. */
  readonly validFor: (random: Random, operation: Operation) => string | undefined
  /**
   * Returns a key with all scopes that do not include the scope of the operation; undefined if the operation requires
   * no scope.
   */
  readonly withoutScope: (operation: Operation) => string | undefined
  /** Returns the text with every key in it replaced by a placeholder. */
  readonly masked: (text: string) => string
}

const CREATE_KEY = 'createKey'
/** The scope that includes every scope. Only the prose of the description says that a scope includes others. */
const ADMIN_SCOPE = 'admin'
/** By scope, the scope other than `admin` that includes it. */
const INCLUDED_BY: Readonly<Record<string, string>> = { 'audit:read': 'keys:manage' }

const CreatedKey = z.looseObject({ key: z.string() })

/** Returns the keys of a run. The given key creates the other keys. Throws if it may not create keys. */
export async function makeKeys(url: string, given: string, { operations }: Description): Promise<Keys> {
  const createKey = operations.find(({ id }) => id === CREATE_KEY)
  if (!createKey) throw new Error(`the description has no ${CREATE_KEY}`)
  const allScopes = createKey.body?.schema.members.get('scopes')?.items?.choices ?? []
  const scopes = [...new Set(operations.flatMap(({ scope }) => scope ?? []))]
  const onlyScope = new Map<string, string>()
  const withoutScope = new Map<string, string>()
  for (const scope of scopes) {
    onlyScope.set(scope, await requestKey(url + createKey.path, given, [scope]))
    const granting = [scope, INCLUDED_BY[scope], ADMIN_SCOPE]
    const others = allScopes.filter(other => !granting.includes(other))
    withoutScope.set(scope, await requestKey(url + createKey.path, given, others))
  }
  return {
    validFor: (random, { id, needsKey, scope }) => {
      if (!needsKey) return random.chance(0.7) ? undefined : given
      if (scope === undefined) return random.pick([given, ...onlyScope.values()])
      // A key can only create keys with scopes that it has, so createKey always uses the given key.
      return id === CREATE_KEY || random.chance(0.6) ? given : onlyScope.get(scope)
    },
    withoutScope: ({ scope }) => withoutScope.get(scope ?? ''),
    masked: text => masked(text, given, onlyScope, withoutScope),
  }
}

async function requestKey(url: string, key: string, scopes: readonly string[]): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: writeJson({ name: 'fuzz', scopes }),
  })
  const bytes = await response.bytes()
  if (response.status !== 201)
    throw new Error(`no key could be created: ${response.status} ${Buffer.from(bytes)}`)
  return CreatedKey.parse(readJson(bytes)).key
}

function masked(
  text: string,
  given: string,
  onlyScope: ReadonlyMap<string, string>,
  withoutScope: ReadonlyMap<string, string>,
): string {
  let safe = text.replaceAll(given, '$KEY')
  for (const [scope, key] of onlyScope) safe = safe.replaceAll(key, `$KEY_OF_${scope}`)
  for (const [scope, key] of withoutScope) safe = safe.replaceAll(key, `$KEY_WITHOUT_${scope}`)
  // Keys in responses are also masked, even if they are cut off.
  return safe.replaceAll(/pst_[0-9A-Za-z]{9,}/g, 'pst_...')
}
