import { z } from 'zod'
import { instant } from '../../values/instant-schema.ts'
import { int64Between } from '../../values/int64-schema.ts'
import { text } from '../../values/text-schema.ts'

/** The alphabet of a sandbox id: lower-case letters and digits, without those that look alike (0, o, 1, l). */
export const ID_ALPHABET = '23456789abcdefghijkmnpqrstuvwxyz'
/** The number of characters of a sandbox id. 26 characters of 5 bits hold an unguessable value of 128 bits. */
export const ID_CHARS = 26
const ID = /^[2-9a-km-np-z]{26}$/
const SNAPSHOT_NAME = /^[a-z0-9][a-z0-9-]{0,49}$/
const EXAMPLE_ID = '7k2m9xq4w8e3rtyu5pasdf6ghj'
const EXAMPLE_BASE = `http://127.0.0.1:8081/s/${EXAMPLE_ID}`

/** The seeds that every host has. */
export const seedNames = ['demo', 'empty', 'large'] as const
export type SeedName = (typeof seedNames)[number]

export const LIFETIME_SECONDS_MIN = 60
export const LIFETIME_SECONDS_MAX = 7 * 86_400
export const LIFETIME_SECONDS_DEFAULT = 86_400

export function isSandboxId(value: string): boolean {
  return ID.test(value)
}

export const sandboxId = z.string().regex(ID).meta({
  description: 'The id of the sandbox: an unguessable value of 128 bits.',
  pattern: ID.source,
  maxLength: ID_CHARS,
  example: EXAMPLE_ID,
})

export const snapshotName = z.string().regex(SNAPSHOT_NAME).meta({
  description: 'The name of a snapshot: lower-case letters, digits and hyphens.',
  pattern: SNAPSHOT_NAME.source,
  maxLength: 50,
  example: 'lesson-1',
})

const seed = z
  .string()
  .refine(value => isSeedName(value) || snapshotSeed(value) !== undefined, {
    params: { field: 'invalid_format' },
    message: `must be ${seedNames.join(', ')}, or the snapshot of a sandbox as {sandboxId}/{name}`,
  })
  .meta({
    description:
      'What the sandbox starts with, and is reset to: `demo` (the demo shop), `empty`, `large` (10,000 pets), or the snapshot of another sandbox as `{sandboxId}/{name}`; a snapshot requires the key of its sandbox.',
    maxLength: 80,
    example: 'demo',
  })

export function isSeedName(value: string): value is SeedName {
  return seedNames.some(name => name === value)
}

/** Returns the parts of a seed that is the snapshot of a sandbox; undefined for any other text. */
export function snapshotSeed(value: string): { sandboxId: string; name: string } | undefined {
  const [id = '', name = '', ...rest] = value.split('/')
  return rest.length === 0 && isSandboxId(id) && SNAPSHOT_NAME.test(name)
    ? { sandboxId: id, name }
    : undefined
}

/** Returns a seed as everybody with the key of the new sandbox may see it: without the id of another sandbox. */
export function shownSeed(value: string): string {
  const snapshot = snapshotSeed(value)
  return snapshot ? `snapshot/${snapshot.name}` : value
}

const label = text(0, 100).meta({
  description: 'A text for people, such as the name of a student.',
  example: 'Ada',
})

const lifetimeSeconds = (ifAbsent: string) =>
  int64Between(BigInt(LIFETIME_SECONDS_MIN), BigInt(LIFETIME_SECONDS_MAX)).meta({
    description: `The time from now until the sandbox expires, in seconds; ${ifAbsent}.`,
    example: LIFETIME_SECONDS_DEFAULT,
  })

export const NewSandbox = z
  .strictObject({
    seed: seed.optional(),
    label: label.optional(),
    lifetimeSeconds: lifetimeSeconds(`${LIFETIME_SECONDS_DEFAULT} by default`).optional(),
  })
  .meta({ id: 'NewSandbox', description: 'A sandbox to create.', example: { seed: 'demo', label: 'Ada' } })
export type NewSandbox = z.output<typeof NewSandbox>

export const SandboxPatch = z
  .strictObject({
    label: label.nullable().optional(),
    lifetimeSeconds: lifetimeSeconds('unchanged if absent').optional(),
  })
  .meta({
    id: 'SandboxPatch',
    description: 'The members to change, as a JSON Merge Patch (RFC 7396).',
    example: { lifetimeSeconds: 172_800 },
  })
export type SandboxPatch = z.output<typeof SandboxPatch>

export const SandboxReset = z.strictObject({ snapshot: snapshotName.optional() }).meta({
  id: 'SandboxReset',
  description: 'What the sandbox is reset to: a snapshot of its own, or its seed if none is named.',
  example: { snapshot: 'lesson-1' },
})
export type SandboxReset = z.output<typeof SandboxReset>

const State = z.enum(['ready', 'damaged']).meta({
  id: 'SandboxState',
  description: 'Whether the store can be used. A damaged one can be reset.',
  example: 'ready',
})

const sandboxMembers = {
  id: sandboxId,
  baseUrl: z.string().meta({
    description: 'The base address of the store. Every operation of the store works under it.',
    format: 'uri',
    maxLength: 2048,
    example: EXAMPLE_BASE,
  }),
  label: label.optional(),
  seed: z.string().meta({
    description:
      'What the sandbox started with, and is reset to: `demo`, `empty`, `large`, or `snapshot/{name}` for the snapshot of another sandbox.',
    maxLength: 80,
    example: 'demo',
  }),
  state: State,
  generation: int64Between(1n, 1_000_000_000n).meta({
    description: 'How often the content was created: 1, and one more after each reset.',
    example: 1,
  }),
  createdAt: instant.meta({ description: 'When it was created.', example: '2026-11-21T09:30:00Z' }),
  expiresAt: instant.meta({
    description: 'When it expires. It is deleted at least five minutes later.',
    example: '2026-11-22T09:30:00Z',
  }),
}

const sandboxExample = {
  id: EXAMPLE_ID,
  baseUrl: EXAMPLE_BASE,
  label: 'Ada',
  seed: 'demo',
  state: 'ready',
  generation: 1,
  createdAt: '2026-11-21T09:30:00Z',
  expiresAt: '2026-11-22T09:30:00Z',
}

export const Sandbox = z
  .object(sandboxMembers)
  .meta({ id: 'Sandbox', description: 'A private store with a lifetime.', example: sandboxExample })
export type Sandbox = z.output<typeof Sandbox>

export const CreatedSandbox = z
  .object({
    ...sandboxMembers,
    adminKey: z.string().meta({
      description:
        'The key of the sandbox: an admin key of its store, and the key of its control operations. Only this response contains it. It is valid for this sandbox only.',
      maxLength: 64,
      example: 'pst_0000000000000000000000000000000000000000000000000',
    }),
    identifier: z.string().max(200).optional().meta({
      description:
        'What tells a student of a class from others with the same name. Absent outside of a class.',
      example: 'ada@school.example',
    }),
  })
  .meta({
    id: 'CreatedSandbox',
    description: 'A new sandbox and its key.',
    example: { ...sandboxExample, adminKey: 'pst_0000000000000000000000000000000000000000000000000' },
  })
export type CreatedSandbox = z.output<typeof CreatedSandbox>

export const Snapshot = z
  .object({
    name: snapshotName,
    bytes: int64Between(0n, 1_000_000_000_000n).meta({
      description: 'The size of the snapshot.',
      example: 290816,
    }),
    takenAt: instant.meta({ description: 'When it was taken.', example: '2026-11-21T10:00:00Z' }),
  })
  .meta({
    id: 'Snapshot',
    description: 'The content of a sandbox at one moment.',
    example: { name: 'lesson-1', bytes: 290816, takenAt: '2026-11-21T10:00:00Z' },
  })
export type Snapshot = z.output<typeof Snapshot>

export const LifecycleClock = z
  .strictObject({
    now: instant.nullable().meta({
      description: 'The instant of the clock. In a request, null returns it to the real time.',
      example: '2027-06-01T00:00:00Z',
    }),
  })
  .meta({
    id: 'LifecycleClock',
    description: 'The clock that decides which operations have been retired.',
    example: { now: '2027-06-01T00:00:00Z' },
  })
export type LifecycleClock = z.output<typeof LifecycleClock>

const HEADERS_TEXT = 'Keys and secrets are replaced by asterisks.'
/** More fields than a head of 16 KiB has room for. */
const FIELDS_MAX = 4096
const headers = z.record(z.string().max(256), z.string().max(16_384))

export const LoggedRequest = z
  .object({
    number: int64Between(1n, 9_007_199_254_740_991n).meta({
      description: 'The number of the request in this sandbox: 1, 2, 3, ...',
      example: 12,
    }),
    at: instant.meta({ description: 'When the request arrived.', example: '2026-11-21T10:00:00.120Z' }),
    method: z.string().meta({ description: 'The method.', maxLength: 32, example: 'POST' }),
    path: z.string().meta({
      description: 'The path and query, below the base address.',
      maxLength: 8192,
      example: '/store/orders',
    }),
    requestHeaders: headers.meta({
      maxProperties: FIELDS_MAX,
      description: `The header fields of the request. ${HEADERS_TEXT}`,
      example: { 'content-type': 'application/json' },
    }),
    requestBody: z.string().optional().meta({
      description: 'The first 4 KiB of the body, as text.',
      maxLength: 4096,
      example: '{"petId":3}',
    }),
    status: int64Between(100n, 599n).optional().meta({
      format: 'int32',
      description: 'The status; absent if the connection was dropped.',
      example: 201,
    }),
    responseHeaders: headers.optional().meta({
      maxProperties: FIELDS_MAX,
      description: `The header fields of the response. ${HEADERS_TEXT}`,
      example: { 'content-type': 'application/json' },
    }),
    responseBody: z.string().optional().meta({
      description: 'The first 4 KiB of the body, as text.',
      maxLength: 4096,
      example: '{"id":1,"petId":3,"quantity":1,"complete":false}',
    }),
    ms: z.number().min(0).max(1_000_000_000).meta({
      description: 'The time until the response, in milliseconds.',
      example: 1.25,
    }),
    operationId: z.string().optional().meta({
      description: 'The operation; absent if no operation has this method and path.',
      maxLength: 64,
      example: 'placeOrder',
    }),
    fault: z.string().optional().meta({
      description:
        'The failure that a rule caused or the request asked for: the value of the response header Petstore-Fault.',
      maxLength: 1024,
      example: 'error; code=storage_full; rule="full"',
    }),
  })
  .meta({
    id: 'LoggedRequest',
    description: 'One request to a sandbox, and its response.',
    example: {
      number: 12,
      at: '2026-11-21T10:00:00.120Z',
      method: 'POST',
      path: '/store/orders',
      requestHeaders: { authorization: 'Bearer pst_***', 'content-type': 'application/json' },
      requestBody: '{"petId":3}',
      status: 201,
      responseHeaders: { 'content-type': 'application/json' },
      responseBody: '{"id":1,"petId":3,"quantity":1,"complete":false}',
      ms: 1.25,
      operationId: 'placeOrder',
    },
  })
export type LoggedRequest = z.output<typeof LoggedRequest>
