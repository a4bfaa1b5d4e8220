import { z } from 'zod'
import { scopeNames } from '../../contract/scopes.ts'
import { constantNames } from '../../values/constant-names.ts'
import { instant } from '../../values/instant.ts'
import { int64 } from '../../values/int64.ts'
import { text } from '../../values/text.ts'

/** The scopes that include others, as a sentence. `hasScope` implements this rule. */
const inclusion = '`admin` includes all others, and `keys:manage` includes `audit:read`.'

export const Scope = z.enum(scopeNames).meta({
  id: 'Scope',
  description: `A permission of a key. ${inclusion}`,
  example: 'orders:read',
  ...constantNames(scopeNames),
})
export type Scope = z.output<typeof Scope>

const scopes = z
  .array(Scope)
  .min(1)
  .max(Scope.options.length)
  .meta({
    description: `The permissions of the key. ${inclusion}`,
    example: ['orders:read', 'orders:write'],
  })
const name = text(1, 200).meta({ description: 'What the key is for.', example: 'till 2' })
const expiresAt = instant.meta({
  description:
    'When the key expires; it must be in the future. If the key that creates this one expires, this one expires no later, and by default at the same time. Otherwise, a key without this member does not expire.',
  example: '2027-11-21T00:00:00Z',
})

export const NewApiKey = z.strictObject({ name, scopes, expiresAt: expiresAt.nullable().optional() }).meta({
  id: 'NewApiKey',
  description:
    'The key to create. It can only have scopes that the key of the request has, and it expires no later than that key.',
  example: { name: 'till 2', scopes: ['orders:read', 'orders:write'] },
})
export type NewApiKey = z.output<typeof NewApiKey>

const keyMembers = {
  id: int64.meta({ description: 'Assigned by the store.', example: 2 }),
  name,
  scopes,
  hint: z.string().meta({
    description: 'The last four characters of the key.',
    example: 'mOYq',
    pattern: '^[0-9A-Za-z]{4}$',
    maxLength: 4,
  }),
  createdAt: instant.meta({ description: 'When the key was created.', example: '2026-11-21T09:30:00.120Z' }),
  expiresAt: expiresAt.optional(),
}
const revokedAt = instant.meta({
  description: 'When the key was revoked. Present only in a list that was requested with `include=revoked`.',
  example: '2026-11-22T17:00:00Z',
})

export const KeyInclude = z.enum(['revoked']).meta({
  id: 'KeyInclude',
  description: 'What a list of keys includes: the revoked ones, with `revokedAt`.',
  example: 'revoked',
})

export const keyExample = {
  id: 2,
  name: 'till 2',
  scopes: ['orders:read', 'orders:write'],
  hint: 'mOYq',
  createdAt: '2026-11-21T09:30:00.120Z',
}

export const ApiKey = z
  .object({ ...keyMembers, revokedAt: revokedAt.optional() })
  .meta({ id: 'ApiKey', description: 'A key, without its secret.', example: keyExample })
export type ApiKey = z.output<typeof ApiKey>

const exampleSecret = 'pst_bAQOwN2rD4YFemYYaGGUcuKWCQO8GQrz9c0ccZMjn892zmOYq'
const secret = z.string().meta({
  description: 'The secret. Only this response contains it.',
  pattern: '^pst_[0-9A-Za-z]{49}$',
  maxLength: 53,
  example: exampleSecret,
})

export const CreatedApiKey = z.object({ ...keyMembers, key: secret }).meta({
  id: 'CreatedApiKey',
  description: 'A key with its secret.',
  example: { ...keyExample, key: exampleSecret },
})
export type CreatedApiKey = z.output<typeof CreatedApiKey>

const code = z
  .string()
  .regex(/^psc_[0-9a-f]{32}$/)
  .meta({
    description: 'A code that can be exchanged for the key once, within ten minutes.',
  })

export const HandedOverKey = z.strictObject({ key: secret })
export type HandedOverKey = z.output<typeof HandedOverKey>

export const HandoverCode = z.strictObject({ code })
export type HandoverCode = z.output<typeof HandoverCode>

/** The number of random bytes in a code: 128 bits. A QR code of a longer one is harder to scan. */
const CODE_RANDOM_BYTES = 16

/** Returns a new random code: it is exchanged for a key once, or lets the students into a class. */
export function newCode(): string {
  return `psc_${Buffer.from(crypto.getRandomValues(new Uint8Array(CODE_RANDOM_BYTES))).toString('hex')}`
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_CHARS = 43
const CHECKSUM_CHARS = 6
const KEY_CHARS = 53
const TOKEN = /^pst_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

/** The number of random bytes in a key: 43 base62 characters encode 256 bits. */
export const KEY_RANDOM_BYTES = 32

/** Returns a key: `pst_`, the random number as 43 base62 characters, and their CRC-32 as 6 base62 characters. */
export function keyText(random: Uint8Array): string {
  if (random.length !== KEY_RANDOM_BYTES) throw new Error('a key needs 32 random bytes')
  const secret = base62(BigInt(`0x${Buffer.from(random).toString('hex')}`))
  return `pst_${secret}${checksum(secret)}`
}

/** Returns a new random key. */
export function newKey(): string {
  return keyText(crypto.getRandomValues(new Uint8Array(KEY_RANDOM_BYTES)))
}

/** Returns whether a text has the form of a key. Its length and checksum detect typos and truncated copies early. */
export function isKeyText(token: string): boolean {
  if (token.length !== KEY_CHARS) return false
  const match = TOKEN.exec(token)
  return match !== null && checksum(match[1] ?? '') === match[2]
}

/** Returns the stored form of a key: its SHA-256, in hex. */
export function keyHash(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex')
}

export function keyHint(token: string): string {
  return token.slice(-4)
}

function checksum(secret: string): string {
  // A CRC-32 fits in a number. Every lookup of a key runs this, and bigints cost several times as much.
  let digits = ''
  for (let rest = Bun.hash.crc32(secret); rest > 0; rest = Math.floor(rest / 62)) {
    digits = (ALPHABET[rest % 62] ?? '') + digits
  }
  return digits.padStart(CHECKSUM_CHARS, '0')
}

function base62(value: bigint): string {
  let digits = ''
  for (let rest = value; rest > 0n; rest /= 62n) digits = (ALPHABET[Number(rest % 62n)] ?? '') + digits
  return digits.padStart(SECRET_CHARS, '0')
}
