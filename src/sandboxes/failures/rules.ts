import { z } from 'zod'
import { pascalCase } from '../../contract/component-name.ts'
import { errorTable } from '../../contract/error.ts'
import type { Operation } from '../../contract/operation.ts'
import { contract } from '../../shop/registry/operations.ts'
import { int64Between } from '../../values/int64-schema.ts'
import { similarName } from '../../values/similar-name.ts'
import { text } from '../../values/text-schema.ts'

const RULES_MAX = 50
const DELAY_MS_MAX = 60_000
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/

const operations: [string, Operation][] = Object.entries(contract)
const operationIds = operations.filter(([, { hidden }]) => !hidden).map(([id]) => id)

/** Returns the schema of a text of a list, which is a component. Its message names the text that was probably meant. */
function knownText(
  known: readonly string[],
  expected: string,
  meta: { id: string; description: string; example: string },
) {
  return z
    .string()
    .superRefine((text, context) => {
      if (known.includes(text)) return
      const given = JSON.stringify(text.slice(0, 50))
      const meant = similarName(text, known)
      const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
      const message = `must be ${expected}, not ${given}${hint}`
      context.addIssue({ code: 'custom', message, params: { field: 'not_in_enum' } })
    })
    .meta({ ...meta, enum: [...known] })
}

const errorCode = knownText(Object.keys(errorTable), 'a code of the catalogue at /errors', {
  id: 'ErrorCode',
  description: 'A code of the catalogue at `/errors`.',
  example: 'storage_full',
})
const operationId = knownText(operationIds, 'an operationId of the store, such as placeOrder', {
  id: 'FaultOperation',
  description: 'The operation that the rule is for; all operations if absent.',
  example: 'placeOrder',
})
const delayMs = int64Between(1n, BigInt(DELAY_MS_MAX)).meta({
  description: 'The time, in milliseconds.',
  example: 2000,
})

/** Returns the schema of one effect: its type and its members. */
function effect<Type extends string, Members extends z.ZodRawShape>(
  type: Type,
  description: string,
  members: Members,
  example: object = {},
) {
  const id = `${pascalCase(type)}Effect`
  const typeSchema = z.literal(type).meta({ title: `${id}Type`, description: 'The type.', example: type })
  return z
    .strictObject({ type: typeSchema, ...members })
    .meta({ id, description, example: { type, ...example } })
}

const effects = [
  effect(
    'error',
    'Responds with a code of the catalogue.',
    {
      code: errorCode,
      retryAfterSeconds: int64Between(0n, 86_400n)
        .optional()
        .meta({ description: 'For a status of 429 or 503: the header Retry-After.', example: 5 }),
    },
    { code: 'storage_full', retryAfterSeconds: 5 },
  ),
  effect(
    'delay',
    'Waits before the request is handled.',
    {
      delayMs,
      jitterMs: int64Between(1n, BigInt(DELAY_MS_MAX)).optional().meta({
        description: 'Up to this time is added at random, in milliseconds.',
        example: 500,
      }),
    },
    { delayMs: 2000 },
  ),
  effect(
    'throttle',
    'Sends the body of the response slowly.',
    {
      bytesPerSecond: int64Between(1n, 1_000_000_000n).meta({
        description: 'The bytes that are sent in a second.',
        example: 1000,
      }),
    },
    { bytesPerSecond: 1000 },
  ),
  effect('drop_before_command', 'Closes the connection before anything has changed.', {}),
  effect('drop_after_commit', 'Closes the connection after the change was committed.', {}),
  effect('truncate', 'Cuts the body of the response.', {
    bytes: int64Between(0n, 1_000_000n).optional().meta({
      description:
        'The number of bytes that are sent; by default half of the body, or 100 bytes of an event stream.',
      example: 10,
    }),
  }),
  effect(
    'rate_limit',
    'Allows a number of requests per period.',
    {
      requests: int64Between(1n, 1_000_000n).meta({
        description: 'The number of requests allowed in each period.',
        example: 3,
      }),
      seconds: int64Between(1n, 3600n).meta({
        description: 'The length of the period, in seconds.',
        example: 10,
      }),
    },
    { requests: 3, seconds: 10 },
  ),
  effect('cut_stream', 'Ends an event stream abruptly.', {
    events: int64Between(0n, 1_000_000n).optional().meta({
      description: 'The number of events that are sent first; 1 by default.',
      example: 3,
    }),
  }),
  effect('webhook_twice', 'Sends a delivery twice.', {}),
  effect('webhook_late', 'Sends a delivery later.', { delayMs }, { delayMs: 2000 }),
  effect('webhook_out_of_order', 'Sends a delivery after the next one.', {}),
  effect('webhook_lost', 'Does not send a delivery, which counts as sent.', {}),
] as const

export const FaultEffect = z.discriminatedUnion('type', effects).meta({
  id: 'FaultEffect',
  description: 'What a rule does to a request, or with a delivery. Its `type` determines its members.',
  example: { type: 'error', code: 'storage_full', retryAfterSeconds: 5 },
})
export type FaultEffect = z.output<typeof FaultEffect>
export type EffectType = FaultEffect['type']

/** Returns the names of the members that an effect has in addition to its type. */
export function membersOfEffect(type: EffectType): readonly string[] {
  const found = effects.find(({ shape }) => shape.type.value === type)
  return Object.keys(found?.shape ?? {}).filter(name => name !== 'type')
}

export function isDeliveryEffect(type: EffectType): boolean {
  return type.startsWith('webhook_')
}

const FaultCondition = z
  .xor(
    [
      z.strictObject({
        call: int64Between(1n, 1_000_000_000n).meta({
          description: 'Only this call: 1 is the first one after the rules were set.',
          example: 1,
        }),
      }),
      z.strictObject({
        every: int64Between(1n, 1_000_000_000n).meta({ description: 'Every n-th call.', example: 3 }),
      }),
      z.strictObject({
        // The JSON parser returns an integer as a bigint.
        share: z
          .preprocess(
            value => (typeof value === 'bigint' ? Number(value) : value),
            z.number().refine(share => share > 0 && share <= 1, {
              params: { field: 'out_of_range' },
              message: 'must be above 0 and at most 1',
            }),
          )
          .meta({
            description: 'This share of the calls, above 0 and at most 1, chosen by `seed`.',
            type: 'number',
            minimum: 0,
            exclusiveMinimum: true,
            maximum: 1,
            example: 0.2,
          }),
        seed: int64Between(0n, 4_294_967_295n)
          .optional()
          .meta({ description: 'The same seed chooses the same calls; 1 by default.', example: 7 }),
      }),
      z.strictObject({
        idempotencyKey: text(1, 255).meta({
          description: 'Only calls with this Idempotency-Key.',
          example: 'first-order',
        }),
      }),
      z.strictObject({
        header: z
          .strictObject({
            name: z.string().regex(HEADER_NAME).meta({
              description: 'The name of the field.',
              pattern: HEADER_NAME.source,
              maxLength: 100,
              example: 'X-Test',
            }),
            value: text(0, 1000)
              .optional()
              .meta({ description: 'Its value; any value if absent.', example: 'timeout' }),
          })
          .meta({ description: 'Only calls with this header field.', example: { name: 'X-Test' } }),
      }),
    ],
    { error: 'must have exactly one of call, every, share (with seed), idempotencyKey and header' },
  )
  .meta({
    id: 'FaultCondition',
    description: 'When a rule applies: one condition; without one, the rule always applies.',
    example: { every: 3 },
  })

const ruleMembers = {
  name: z
    .string()
    .refine(name => /^[a-z0-9][a-z0-9-]{0,49}$/.test(name), {
      params: { field: 'invalid_format' },
      message: 'must be 1 to 50 lower-case letters, digits and hyphens, and not begin with a hyphen',
    })
    .meta({
      description: 'The name of the rule.',
      pattern: '^[a-z0-9][a-z0-9-]{0,49}$',
      maxLength: 50,
      example: 'full',
    }),
  operation: operationId.optional(),
  when: FaultCondition.optional(),
  effect: FaultEffect,
}

const ruleExample = {
  name: 'full',
  operation: 'placeOrder',
  when: { every: 3 },
  effect: { type: 'error', code: 'storage_full', retryAfterSeconds: 5 },
}

export const FaultRule = z
  .strictObject(ruleMembers)
  .superRefine(({ operation, when, effect }, context) => {
    const refuse = (path: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [path], message, params: { field: 'invalid_format' } })
    }
    const isDelivery = isDeliveryEffect(effect.type)
    if (isDelivery && operation !== undefined)
      refuse('operation', 'does not belong to an effect on deliveries')
    if (isDelivery && when && ('idempotencyKey' in when || 'header' in when))
      refuse('when', 'must be call, every or share for an effect on deliveries')
    if (effect.type === 'cut_stream' && operation !== undefined && operation !== 'streamEvents')
      refuse('operation', 'must be streamEvents, or absent, for the effect cut_stream')
  })
  .meta({ id: 'FaultRule', description: 'A failure on demand.', example: ruleExample })
export type FaultRule = z.output<typeof FaultRule>

export const FaultRules = z
  .strictObject({
    rules: z
      .array(FaultRule)
      .max(RULES_MAX)
      .superRefine((rules, context) => {
        const names = rules.map(({ name }) => name)
        const duplicate = names.find((name, index) => names.indexOf(name) !== index)
        if (duplicate === undefined) return
        const message = `must not have two rules with the name ${JSON.stringify(duplicate)}`
        context.addIssue({ code: 'custom', message, params: { field: 'duplicate' } })
      })
      .meta({
        description: 'The rules. Only the first rule that applies to a call takes effect.',
        example: [ruleExample],
      }),
  })
  .meta({ id: 'FaultRules', description: 'All rules of a sandbox.', example: { rules: [ruleExample] } })
export type FaultRules = z.output<typeof FaultRules>

const count = (description: string) =>
  int64Between(0n, 9_007_199_254_740_991n).meta({ description, example: 7 })

export const FaultRuleStates = z
  .object({
    rules: z
      .array(
        z
          .object({
            ...ruleMembers,
            calls: count('The number of calls that the rule was checked for since the rules were set.'),
            applied: count('How often the rule was applied.'),
          })
          .meta({ id: 'FaultRuleState', description: 'A rule, and how often it was checked and applied.' }),
      )
      .max(RULES_MAX),
  })
  .meta({
    id: 'FaultRuleStates',
    description: 'All rules of a sandbox, with their counts.',
    example: { rules: [{ ...ruleExample, calls: 7, applied: 2 }] },
  })
export type FaultRuleStates = z.output<typeof FaultRuleStates>
