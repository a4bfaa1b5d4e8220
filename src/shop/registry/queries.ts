import type { Operation } from '../../contract/operation.ts'
import type { Reader } from '../../database/engine.ts'
import { mapRead } from '../../database/map-read.ts'
import { categoryQueries } from '../categories/verbs.ts'
import { errorQueries } from '../errors/verbs.ts'
import { eventQueries } from '../events/verbs.ts'
import { importQueries } from '../imports/verbs.ts'
import { inventoryQueries } from '../inventory/verbs.ts'
import type { QueryContext } from '../kernel/context.ts'
import type { QueriesOf, QueryHandler } from '../kernel/handlers.ts'
import type { Reply } from '../kernel/idempotency.ts'
import { LIMIT_DEFAULT, type ListQuery } from '../kernel/paging.ts'
import { keyQueries } from '../keys/verbs.ts'
import { untaggedCursor, untaggedPosition } from '../log/content-tag.ts'
import { orderQueries } from '../orders/verbs.ts'
import { petQueries } from '../pets/verbs.ts'
import { salesQueries } from '../sales/verbs.ts'
import { webhookQueries } from '../webhooks/delivery-verbs.ts'
import { type Contract, contract, type QueryId } from './operations.ts'
import { encodeReply } from './reply.ts'

const queries: QueriesOf<Contract> = {
  ...petQueries,
  ...categoryQueries,
  ...orderQueries,
  ...salesQueries,
  ...inventoryQueries,
  ...eventQueries,
  ...webhookQueries,
  ...keyQueries,
  ...errorQueries,
  ...importQueries,
}

/** One query, as data, so that it can be sent to another thread. */
export interface Query extends QueryContext {
  readonly id: QueryId
  readonly input: object
}

/** The longest page of a short list. Longer pages take so long to encode that other requests would wait. */
const SHORT_LIST_ROWS_MAX = 20

/**
 * Returns whether a list is so short that reading it costs less than passing it to another thread and back: at most 20
 * rows of one index scan.
 */
export function isShortList({ id, input }: Pick<Query, 'id' | 'input'>): boolean {
  const { isShort }: Operation = contract[id]
  const { limit = LIMIT_DEFAULT }: ListQuery = input
  // Safe: the input of a query is the input of its id, as in executeQuery.
  return limit <= SHORT_LIST_ROWS_MAX && isShort?.(input as never) === true
}

/** Runs a query and returns its encoded reply. Rejects with the errors of its verb. */
export async function executeQuery(reader: Reader, query: Query): Promise<Reply> {
  return await replyTo(reader, query)
}

/**
 * Like `executeQuery`, without a promise if the verb and the reader need none, as for one row on SQLite. The errors of
 * the verb are then thrown.
 */
export function replyTo(reader: Reader, query: Query): Reply | Promise<Reply> {
  const { id, contentTag } = query
  const operation: Operation = contract[id]
  // Safe: the pipeline made the input with the schema of this id, so the input belongs to this verb.
  const verb = queries[id] as QueryHandler<object, object>
  const output = verb(reader, contentTag === undefined ? query.input : untaggedInput(query), query)
  return mapRead(output, known => encodeReply(operation, known, contentTag))
}

/** Removes the content tag from a cursor or position, because the verbs do not know tags. */
function untaggedInput({ input, contentTag }: Query): object {
  if ('cursor' in input && typeof input.cursor === 'string') {
    return { ...input, cursor: untaggedCursor(input.cursor, contentTag) }
  }
  if ('after' in input && typeof input.after === 'bigint') {
    return { ...input, after: untaggedPosition(input.after, contentTag) }
  }
  return input
}
