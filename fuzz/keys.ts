import { z } from 'zod'
import type { Description, Operation } from './document.ts'
import { readJson, writeJson } from './json.ts'
import type { Random } from './random.ts'

/**
 * The keys of a run: the given one, and for each scope of the description one key with only that scope, and one key
 * with every other scope.
 */
export interface Keys {
  /** A key that may use the operation; sometimes undefined if the operation requires none. */
  readonly goodFor: (random: Random, operation: Operation) => string | undefined
  /** A key with every scope except the one that the operation requires. */
  readonly lacking: (operation: Operation) => string | undefined
  /** Returns the text with every key in it replaced by a name. */
  readonly masked: (text: string) => string
}

/** The operation that creates keys, and the scope that includes all others; the description has both only as text. */
const MAKES_KEYS = 'createKey'
const EVERYTHING = 'admin'

const Made = z.looseObject({ key: z.string() })

/** Creates the keys of a run with the given key. Throws if that key may not create keys. */
export async function makeKeys(url: string, given: string, { operations }: Description): Promise<Keys> {
  const maker = operations.find(({ id }) => id === MAKES_KEYS)
  if (!maker) throw new Error(`the description has no ${MAKES_KEYS}`)
  const all = maker.body?.schema.members.get('scopes')?.items?.choices ?? []
  const needed = [...new Set(operations.flatMap(({ scope }) => scope ?? []))]
  const exact = new Map<string, string>()
  const lacking = new Map<string, string>()
  for (const scope of needed) {
    exact.set(scope, await makeKey(url + maker.path, given, [scope]))
    const others = all.filter(other => other !== scope && other !== EVERYTHING)
    lacking.set(scope, await makeKey(url + maker.path, given, others))
  }
  return {
    goodFor: (random, { id, scope }) => {
      if (scope === undefined) return random.chance(0.7) ? undefined : given
      // A key grants only scopes that it has, so only the given key can grant all of them.
      return id === MAKES_KEYS || random.chance(0.6) ? given : exact.get(scope)
    },
    lacking: ({ scope }) => lacking.get(scope ?? ''),
    masked: text => masked(text, given, exact, lacking),
  }
}

async function makeKey(url: string, key: string, scopes: readonly string[]): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: writeJson({ name: 'fuzz', scopes }),
  })
  const bytes = await response.bytes()
  if (response.status !== 201)
    throw new Error(`no key could be created: ${response.status} ${Buffer.from(bytes)}`)
  return Made.parse(readJson(bytes)).key
}

function masked(
  text: string,
  given: string,
  exact: ReadonlyMap<string, string>,
  lacking: ReadonlyMap<string, string>,
): string {
  let safe = text.replaceAll(given, '$KEY')
  for (const [scope, key] of exact) safe = safe.replaceAll(key, `$KEY_OF_${scope}`)
  for (const [scope, key] of lacking) safe = safe.replaceAll(key, `$KEY_WITHOUT_${scope}`)
  // Hides keys from responses as well, complete or almost complete.
  return safe.replaceAll(/pst_[0-9A-Za-z]{9,}/g, 'pst_...')
}
