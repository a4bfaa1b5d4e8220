import { type ErrorCodeName, isErrorCode, type StoreError } from '../../contract/error.ts'
import { invalidParameter } from '../../contract/refusals.ts'
import { RateLimiter } from '../../http/limits/rate-limit.ts'
import { explain } from '../../http/pipeline/validate.ts'
import type { OperationId } from '../../shop/registry/operations.ts'
import { parseJson, writeJson } from '../../values/json.ts'
import { similarName } from '../../values/similar-name.ts'
import {
  type EffectType,
  FaultEffect,
  type FaultRule,
  type FaultRuleStates,
  FaultRules,
  isDeliveryEffect,
  membersOfEffect,
} from './rules.ts'

/** The header with which a request asks for a failure, and with which a response announces one. */
export const FAULT_HEADER = 'Petstore-Fault'

export interface AppliedFault {
  readonly effect: FaultEffect
  /** The value of the header Petstore-Fault: an item of RFC 8941, such as `delay; delay_ms=200; rule="slow"`. */
  readonly text: string
  /** For a rule with the effect `rate_limit`. */
  readonly limit?: {
    readonly limiter: RateLimiter
    /** Counts the rule as applied, when a call exceeds the limit. */
    readonly onApplied: () => void
  }
}

interface CheckedCall {
  readonly operationId: OperationId
  readonly headers: Headers
}

interface RuleState {
  readonly rule: FaultRule
  calls: number
  applied: number
  /** For the effect `rate_limit`. */
  readonly limiter: RateLimiter | undefined
}

/** The fault rules of one sandbox, with their counts. */
export class Faults {
  #states: RuleState[] = []

  /** `saved` is the text that `save` returned, or an empty text. */
  constructor(saved: string) {
    this.restore(saved)
  }

  restore(saved: string): void {
    this.#states = saved === '' ? [] : readStates(saved)
  }

  get isEmpty(): boolean {
    return this.#states.length === 0
  }

  /** Replaces all rules. Their counts begin at 0. */
  set(rules: readonly FaultRule[]): void {
    this.#states = rules.map(rule => newState(rule))
  }

  states(): FaultRuleStates {
    return {
      rules: this.#states.map(({ rule, calls, applied }) => ({
        ...rule,
        calls: BigInt(calls),
        applied: BigInt(applied),
      })),
    }
  }

  save(): string {
    return this.isEmpty ? '' : writeJson(this.states())
  }

  /**
   * Returns the failure that applies to a request: the one that its header asks for, or that of the first rule
   * that applies. Throws `invalid_parameter` for a malformed header.
   */
  forRequest(call: CheckedCall): AppliedFault | undefined {
    const asked = call.headers.get(FAULT_HEADER)
    if (asked !== null) return { effect: readFaultHeader(asked, call.operationId), text: asked }
    return this.#firstFault(state => {
      const { operation, effect } = state.rule
      if (isDeliveryEffect(effect.type)) return false
      if (effect.type === 'cut_stream' && call.operationId !== 'streamEvents') return false
      if (operation !== undefined && operation !== call.operationId) return false
      return applies(state, call.headers)
    })
  }

  forDelivery(): AppliedFault | undefined {
    return this.#firstFault(state => isDeliveryEffect(state.rule.effect.type) && applies(state, undefined))
  }

  #firstFault(doesApply: (state: RuleState) => boolean): AppliedFault | undefined {
    let found: RuleState | undefined
    // Every rule for this kind of call counts the call, even if an earlier rule has already applied to it.
    for (const state of this.#states) if (doesApply(state)) found ??= state
    if (!found) return undefined
    const state = found
    const { rule, limiter } = state
    const onApplied = (): void => {
      state.applied++
    }
    const fault = { effect: rule.effect, text: faultText(rule.effect, rule.name) }
    if (limiter) return { ...fault, limit: { limiter, onApplied } }
    onApplied()
    return fault
  }
}

function newState(rule: FaultRule, calls = 0, applied = 0): RuleState {
  const { effect } = rule
  if (effect.type !== 'rate_limit') return { rule, calls, applied, limiter: undefined }
  const rate = { requests: Number(effect.requests), seconds: Number(effect.seconds) }
  return { rule, calls, applied, limiter: new RateLimiter(rate, () => performance.now()) }
}

/** Counts a call that a rule is for, and returns whether its condition holds. */
function applies(state: RuleState, headers: Headers | undefined): boolean {
  const { when } = state.rule
  state.calls++
  if (!when) return true
  if ('call' in when) return BigInt(state.calls) === when.call
  if ('every' in when) return BigInt(state.calls) % when.every === 0n
  if ('share' in when) return randomOf(Number(when.seed ?? 1n), state.calls) < when.share
  if ('idempotencyKey' in when) {
    const sent = headers?.get('idempotency-key') ?? ''
    return sent === when.idempotencyKey || sent === `"${when.idempotencyKey}"`
  }
  const { name, value } = when.header
  const sent = headers?.get(name) ?? undefined
  return sent !== undefined && (value === undefined || sent === value)
}

/** Returns a number from 0 to below 1 that depends only on a seed and a count, so that failures are reproducible. */
function randomOf(seed: number, count: number): number {
  return Number(Bun.hash(`${seed}/${count}`) % 1_000_003n) / 1_000_003
}

function faultText(effect: FaultEffect, rule: string): string {
  const members = Object.entries(effect).filter(([name, value]) => name !== 'type' && value !== undefined)
  const parameters = members.map(([name, value]) => `; ${snakeCase(name)}=${String(value)}`)
  return `${effect.type}${parameters.join('')}; rule="${rule}"`
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

/** An example of each effect that a header can ask for. */
const headerExamples = {
  error: 'error; code=storage_full; retry_after_seconds=5',
  delay: 'delay; delay_ms=500',
  throttle: 'throttle; bytes_per_second=1000',
  drop_before_command: 'drop_before_command',
  drop_after_commit: 'drop_after_commit',
  truncate: 'truncate; bytes=20',
  cut_stream: 'cut_stream; events=3',
} as const satisfies Partial<Record<EffectType, string>>

/** Returns the effect that a header asks for. Throws `invalid_parameter`. */
function readFaultHeader(field: string, operationId: OperationId): FaultEffect {
  const [type = '', ...parameters] = field.split(';').map(part => part.trim())
  if (!isHeaderEffect(type)) throw refusedHeader(unknownEffectText(type))
  if (type === 'cut_stream' && operationId !== 'streamEvents')
    throw refusedHeader(`asks for cut_stream, which is for streamEvents, not for ${operationId}`)
  const example = `An example: ${headerExamples[type]}`
  const members: Record<string, unknown> = { type }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=').map(part => part.trim())
    const member = membersOfEffect(type).find(known => snakeCase(known) === name)
    if (member === undefined)
      throw refusedHeader(`has the parameter ${quoted(name)}, which ${type} does not have. ${example}`)
    members[member] = member === 'code' ? value : /^[0-9]{1,9}$/.test(value) ? BigInt(value) : value
  }
  const { data, error } = FaultEffect.safeParse(members)
  if (data) return data
  const [issue] = error.issues
  const name = String(issue?.path[0] ?? 'value')
  const problem = issue ? explain(issue, members[name]).message : 'is not valid'
  throw refusedHeader(`is not valid: ${snakeCase(name)} ${problem}. ${example}`)
}

function refusedHeader(problem: string): StoreError {
  const message = `${FAULT_HEADER} ${problem}${problem.includes('An example') ? '' : '.'}`
  return invalidParameter({ in: 'header', name: FAULT_HEADER, code: 'invalid_format', message })
}

function unknownEffectText(type: string): string {
  if (type === 'rate_limit') return 'cannot ask for rate_limit, which needs a rule'
  if (type.startsWith('webhook_')) return `cannot ask for ${quoted(type)}: only rules can change deliveries`
  const names = Object.keys(headerExamples)
  const meant = similarName(type.replaceAll('-', '_'), names)
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
  return `must begin with one of ${names.join(', ')}, not with ${quoted(type)}${hint}`
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 50))
}

function isHeaderEffect(type: string): type is keyof typeof headerExamples {
  return Object.hasOwn(headerExamples, type)
}

function readStates(saved: string): RuleState[] {
  // Safe: `save` wrote the text.
  const { rules } = parseJson(saved) as unknown as FaultRuleStates
  const read = FaultRules.parse({ rules: rules.map(({ calls: _, applied: __, ...rule }) => rule) })
  return read.rules.map((rule, index) => {
    const { calls = 0n, applied = 0n } = rules[index] ?? {}
    return newState(rule, Number(calls), Number(applied))
  })
}

export function codeOf({ code }: Extract<FaultEffect, { type: 'error' }>): ErrorCodeName {
  if (!isErrorCode(code)) throw new Error(`${code} is no code of the catalogue`)
  return code
}
