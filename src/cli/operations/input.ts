import type { CallOptions } from '../../client/call.ts'
import type { OperationInput } from '../../client/request.ts'
import type { Operation } from '../../contract/operation.ts'
import { CommandFailed, EXIT_USAGE } from '../terminal/terminal.ts'
import type { OperationFlag } from './flags.ts'
import { readBodyOption } from './request-body.ts'

/** The value of an option. It is wrapped because commander replaces a value of null. */
export interface GivenValue {
  readonly value: unknown
}

/** The arguments and options of a command line, parsed. */
export interface GivenInput {
  readonly operation: Operation
  readonly flags: readonly OperationFlag[]
  /** The values of the path parameters, in the order of the contract. */
  readonly path: readonly unknown[]
  /** The values of the options of the operation, by the name that commander gives them. */
  readonly options: Readonly<Record<string, GivenValue | undefined>>
}

/** What a command sends. */
export interface OperationRequest {
  readonly input: OperationInput
  readonly call: CallOptions
}

/** Returns the request of a command line. Throws CommandFailed if options are missing or contradict each other. */
export async function requestOf(
  { operation, flags, path, options }: GivenInput,
  bodyText: string | undefined,
  bodyFlag: string,
): Promise<OperationRequest> {
  const values = flags
    .map(flag => [flag, valueGiven(flag, options)] as const)
    .filter(([, value]) => value !== undefined)
  const valuesIn = (place: OperationFlag['place']): Record<string, unknown> =>
    Object.fromEntries(
      values.filter(([flag]) => flag.place === place).map(([flag, value]) => [flag.name, value]),
    )
  const input: Record<string, unknown> = { ...valuesIn('query') }
  for (const [index, name] of Object.keys(operation.pathParameters ?? {}).entries()) input[name] = path[index]
  const isWhole = bodyText !== undefined
  requireAll(flags.filter(({ place, name }) => place === 'query' && input[name] === undefined))
  if (operation.body) {
    const members = valuesIn('body')
    if (isWhole) refuseMembers(flags, members, bodyFlag)
    else requireAll(flags.filter(({ place, name }) => place === 'body' && members[name] === undefined))
    // A change without a member would change nothing. What a POST creates may have only defaults, such as a return.
    if (operation.method !== 'POST' && !isWhole && Object.keys(members).length === 0)
      throw nothingToSend(flags, bodyFlag)
    input.body = isWhole ? await readBodyOption(bodyText, bodyFlag) : members
  }
  return { input, call: callOptionsOf(valuesIn('header')) }
}

function valueGiven(
  { flag, isRepeated, isNullable }: OperationFlag,
  options: GivenInput['options'],
): unknown {
  const value = options[flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())]?.value
  // A list that consists of null alone is the value null, which removes the member.
  return isRepeated && isNullable && Array.isArray(value) && value.length === 1 && value[0] === null
    ? null
    : value
}

function requireAll(missing: readonly OperationFlag[]): void {
  const needed = missing.filter(({ isRequired }) => isRequired).map(({ flag }) => `--${flag}`)
  if (needed.length > 0) throw new CommandFailed(`Specify ${needed.join(' and ')}.`, EXIT_USAGE)
}

function refuseMembers(flags: readonly OperationFlag[], members: object, bodyFlag: string): void {
  const given = flags.filter(({ place, name }) => place === 'body' && Object.hasOwn(members, name))
  if (given.length === 0) return
  const names = given.map(({ flag }) => `--${flag}`).join(' and ')
  throw new CommandFailed(`${bodyFlag} gives the whole body: leave out ${names}.`, EXIT_USAGE)
}

function nothingToSend(flags: readonly OperationFlag[], bodyFlag: string): CommandFailed {
  const names = flags.filter(({ place }) => place === 'body').map(({ flag }) => `--${flag}`)
  return new CommandFailed(`Specify what to change: ${[...names, bodyFlag].join(', ')}.`, EXIT_USAGE)
}

/**
 * Returns the header fields as options of the client. An entity tag gets its quotes back if a shell has removed them,
 * and loses the `W/` that a compressing proxy adds. An idempotency key loses its quotes, because the client adds them.
 */
function callOptionsOf(headers: Readonly<Record<string, unknown>>): CallOptions {
  const named: Record<string, string> = {}
  let idempotencyKey: string | undefined
  for (const [name, value] of Object.entries(headers)) {
    const text = String(value)
    if (name === 'Idempotency-Key') idempotencyKey = text.replace(/^"([^"\\]*)"$/, '$1')
    else named[name] = name.startsWith('If-') ? text.replace(/^(?:W\/)?"?([\w-]+)"?$/, '"$1"') : text
  }
  return { headers: named, ...(idempotencyKey !== undefined && { idempotencyKey }) }
}
