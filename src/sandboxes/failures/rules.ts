import { z } from 'zod'
import { errorTable } from '../../contract/error.ts'
import type { Operation } from '../../contract/operation.ts'
import { contract } from '../../shop/operations.ts'
import { int64Between } from '../../values/int64.ts'
import { similarName } from '../../values/similar-name.ts'
import { text } from '../../values/text.ts'

const RULES_MAX = 50
const DELAY_MS_MAX = 60_000

const operations: [string, Operation][] = Object.entries(contract)
const operationIds = operations.filter(([, { hidden }]) => !hidden).map(([id]) => id)

/** Returns the schema of a text that must be in a list. Its message names the text that was probably meant. */
function knownText(known: readonly string[], expected: string) {
  return z.string().superRefine((text, context) => {
    if (known.includes(text)) return
    const given = JSON.stringify(text.slice(0, 50))
    const meant = similarName(text, known)
    const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
    const message = `must be ${expected}, not ${given}${hint}`
    context.addIssue({ code: 'custom', message, params: { field: 'not_in_enum' } })
  })
}

export const requestEffects = [
  'error',
  'delay',
  'drop_before_command',
  'drop_after_commit',
  'truncate',
  'rate_limit',
  'cut_stream',
] as const
export const deliveryEffects = [
  'webhook_twice',
  'webhook_late',
  'webhook_out_of_order',
  'webhook_lost',
] as const

const effectTypes = [...requestEffects, ...deliveryEffects] as const
export type EffectType = (typeof effectTypes)[number]

export function isDeliveryEffect(type: EffectType): boolean {
  return deliveryEffects.some(known => known === type)
}

const errorCodes = Object.keys(errorTable)

/** The members that each effect takes, and whether each is required. */
export const effectMembers: Readonly<Record<EffectType, Readonly<Record<string, 'required' | 'optional'>>>> =
  {
    error: { code: 'required', retryAfterSeconds: 'optional' },
    delay: { delayMs: 'required' },
    drop_before_command: {},
    drop_after_commit: {},
    truncate: { bytes: 'optional' },
    rate_limit: { requests: 'required', seconds: 'required' },
    cut_stream: { events: 'optional' },
    webhook_twice: {},
    webhook_late: { delayMs: 'required' },
    webhook_out_of_order: {},
    webhook_lost: {},
  }

export const FaultEffect = z
  .strictObject({
    type: z.enum(effectTypes).meta({
      description:
        'What happens: `error` responds with a code of the catalogue; `delay` waits before the request is handled; `drop_before_command` closes the connection before anything has changed; `drop_after_commit` closes it after the change was committed; `truncate` cuts the body of the response; `rate_limit` allows a number of requests per period; `cut_stream` ends an event stream abruptly; the `webhook_` effects change a delivery.',
      example: 'error',
    }),
    code: knownText(errorCodes, 'a code of the catalogue at /errors')
      .optional()
      .meta({ description: '`error`: the code.', maxLength: 64, example: 'storage_full' }),
    retryAfterSeconds: int64Between(0n, 86_400n)
      .optional()
      .meta({ description: '`error` with a status of 429 or 503: the header Retry-After.', example: 5 }),
    delayMs: int64Between(1n, BigInt(DELAY_MS_MAX))
      .optional()
      .meta({ description: '`delay` and `webhook_late`: the time, in milliseconds.', example: 2000 }),
    bytes: int64Between(0n, 1_000_000n).optional().meta({
      description:
        '`truncate`: the number of bytes that are sent; by default half of the body, or 100 bytes of an event stream.',
      example: 10,
    }),
    requests: int64Between(1n, 1_000_000n)
      .optional()
      .meta({ description: '`rate_limit`: the number of requests allowed in each period.', example: 3 }),
    seconds: int64Between(1n, 3600n)
      .optional()
      .meta({ description: '`rate_limit`: the length of the period, in seconds.', example: 10 }),
    events: int64Between(0n, 1_000_000n).optional().meta({
      description: '`cut_stream`: the number of events that are sent first; 1 by default.',
      example: 3,
    }),
  })
  .superRefine((effect, context) => {
    const members = effectMembers[effect.type]
    for (const [name, need] of Object.entries(members)) {
      if (need === 'required' && Reflect.get(effect, name) === undefined) {
        const message = `is required for the effect ${effect.type}`
        context.addIssue({ code: 'custom', path: [name], message, params: { field: 'required' } })
      }
    }
    for (const name of Object.keys(effect)) {
      if (name === 'type' || Object.hasOwn(members, name)) continue
      const message = `does not belong to the effect ${effect.type}`
      context.addIssue({ code: 'custom', path: [name], message, params: { field: 'unknown_field' } })
    }
  })
  .meta({
    id: 'FaultEffect',
    description: 'What a rule does.',
    example: { type: 'error', code: 'storage_full', retryAfterSeconds: 5 },
  })
export type FaultEffect = z.output<typeof FaultEffect>

const FaultCondition = z
  .strictObject({
    call: int64Between(1n, 1_000_000_000n)
      .optional()
      .meta({ description: 'Only this call: 1 is the first one after the rules were set.', example: 1 }),
    every: int64Between(1n, 1_000_000_000n).optional().meta({ description: 'Every n-th call.', example: 3 }),
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
      })
      .optional(),
    seed: int64Between(0n, 4_294_967_295n)
      .optional()
      .meta({ description: 'With `share`: the same seed chooses the same calls; 1 by default.', example: 7 }),
    idempotencyKey: text(1, 255)
      .optional()
      .meta({ description: 'Only calls with this Idempotency-Key.', example: 'first-order' }),
    header: z
      .strictObject({
        name: z
          .string()
          .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/)
          .meta({ description: 'The name of the field.', maxLength: 100, example: 'X-Test' }),
        value: text(0, 1000)
          .optional()
          .meta({ description: 'Its value; any value if absent.', example: 'timeout' }),
      })
      .optional()
      .meta({ description: 'Only calls with this header field.', example: { name: 'X-Test' } }),
  })
  .refine(({ share, seed }) => seed === undefined || share !== undefined, {
    path: ['seed'],
    params: { field: 'unknown_field' },
    message: 'is allowed only together with share',
  })
  .refine(condition => Object.keys(condition).filter(name => name !== 'seed').length === 1, {
    params: { field: 'invalid_format' },
    message: 'must have exactly one of call, every, share, idempotencyKey and header',
  })
  .meta({ id: 'FaultCondition', description: 'When a rule applies: one condition.', example: { every: 3 } })

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
  operation: knownText(operationIds, 'an operationId of the store, such as placeOrder').optional().meta({
    description: 'The operation that the rule is for; all operations if absent.',
    maxLength: 64,
    example: 'placeOrder',
  }),
  when: FaultCondition.optional().meta({
    description: 'The condition; without one, the rule always applies.',
    example: { every: 3 },
  }),
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
    if (isDelivery && (when?.idempotencyKey !== undefined || when?.header !== undefined))
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
