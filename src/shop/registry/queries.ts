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
import { keyQueries } from '../keys/verbs.ts'
import { untaggedCursor, untaggedPosition } from '../log/content-tag.ts'
import { orderQueries } from '../orders/verbs.ts'
import { petQueries } from '../pets/verbs.ts'
import { salesQueries } from '../sales/verbs.ts'
import { webhookQueries } from '../webhooks/delivery-verbs.ts'
import type { Contract, QueryId } from './operations.ts'
import { encodeReply, type ReplyForms } from './reply.ts'

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

/**
 * Runs a query and returns its encoded reply, without a promise if the verb and the reader need none, as for one row on
 * SQLite. Throws the errors of its verb, or rejects with them.
 */
export function runQuery(reader: Reader, query: Query, forms: ReplyForms): Reply | Promise<Reply> {
  const { id, contentTag } = query
  // Safe: the pipeline made the input with the schema of this id, so the input belongs to this verb.
  const verb = queries[id] as QueryHandler<object, object>
  const output = verb(reader, contentTag === undefined ? query.input : untaggedInput(query), query)
  return mapRead(output, known => encodeReply(forms[id], known, contentTag))
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
