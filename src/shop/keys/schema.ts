import { z } from 'zod'
import { scopeNames } from '../../contract/scopes.ts'
import { constantNames } from '../../values/constant-names.ts'
import { instant } from '../../values/instant-schema.ts'
import { int64 } from '../../values/int64-schema.ts'
import { text } from '../../values/text-schema.ts'

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
