import type { Operation } from '../../contract/operation.ts'
import { categories } from '../categories/operations.ts'
import { errors } from '../errors/operations.ts'
import { events } from '../events/operations.ts'
import { imports } from '../imports/operations.ts'
import { inventory } from '../inventory/operations.ts'
import { handovers, keys } from '../keys/operations.ts'
import { orders } from '../orders/operations.ts'
import { pets } from '../pets/operations.ts'
import { sales } from '../sales/operations.ts'
import { webhooks } from '../webhooks/operations.ts'

/** Every operation of the API, by operationId. */
export const contract = {
  ...pets,
  ...categories,
  ...orders,
  ...sales,
  ...inventory,
  ...events,
  ...webhooks,
  ...keys,
  ...handovers,
  ...errors,
  ...imports,
} as const satisfies Record<string, Operation>

export type Contract = typeof contract
export type OperationId = keyof Contract

/** The operations whose response does not end. */
export type StreamId = {
  [Id in OperationId]: Contract[Id]['success'] extends { stream: unknown } ? Id : never
}[OperationId]

/** The reads: the operations with the method GET whose response ends. */
export type QueryId = {
  [Id in Exclude<OperationId, StreamId>]: Contract[Id]['method'] extends 'GET' ? Id : never
}[Exclude<OperationId, StreamId>]

/** All other operations. Each command runs in one transaction. */
export type CommandId = Exclude<OperationId, QueryId | StreamId>

export const operationIds = Object.keys(contract).filter(isOperationId)

export function isOperationId(text: string): text is OperationId {
  return Object.hasOwn(contract, text)
}

export function isStreamId(id: OperationId): id is StreamId {
  return 'stream' in contract[id].success
}

export function isQueryId(id: OperationId): id is QueryId {
  return contract[id].method === 'GET' && !isStreamId(id)
}
