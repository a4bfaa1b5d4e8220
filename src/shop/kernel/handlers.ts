import type { Input, Operation, Output } from '../../contract/operation.ts'
import type { Reader, Tx } from '../../database/engine.ts'
import { writeJson } from '../../values/json.ts'
import type { Context, QueryContext } from './context.ts'
import { type Conditions, checkConditions } from './preconditions.ts'

// How the operations of a noun and its verbs belong together. An operation without a verb does not compile.

export type QueryHandler<I, R> = (reader: Reader, input: I, context: QueryContext) => R | Promise<R>
export type CommandHandler<I, R> = (tx: Tx, input: I, context: Context, conditions: Conditions) => Promise<R>

/** The verb of each query among some operations, by operationId. A stream has none. */
export type QueriesOf<Operations extends Readonly<Record<string, Operation>>> = {
  readonly [Id in keyof Operations as Operations[Id]['method'] extends 'GET'
    ? Operations[Id]['success'] extends { stream: unknown }
      ? never
      : Id
    : never]: QueryHandler<Input<Operations[Id]>, Output<Operations[Id]>>
}

/** The verb of each command among some operations, by operationId. */
export type CommandsOf<Operations extends Readonly<Record<string, Operation>>> = {
  readonly [Id in keyof Operations as Operations[Id]['method'] extends 'GET' ? never : Id]: CommandHandler<
    Input<Operations[Id]>,
    Output<Operations[Id]>
  >
}

/**
 * Returns the handler of a verb that needs an existing resource. The handler finds the resource (404) and checks the
 * preconditions (412) before it runs the verb.
 */
export function onResource<I, T, R>(
  find: (tx: Tx, input: I) => T | Promise<T>,
  representationOf: (resource: T) => object,
  verb: (tx: Tx, input: I, context: Context, resource: T) => Promise<R>,
): CommandHandler<I, R> {
  return async (tx, input, context, conditions) => {
    const resource = await find(tx, input)
    checkConditions(conditions, () => writeJson(representationOf(resource)))
    return verb(tx, input, context, resource)
  }
}
