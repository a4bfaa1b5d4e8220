import type { Slips } from '../slip.ts'

const CURSORS = 'test/shop/cursors.test.ts'

export const shopSlips: Slips = {
  'src/shop/commands.ts': [
    {
      before: `if (id !== 'placeOrder') return`,
      after: `if (id !== 'updateOrder') return`,
      breaks: 'orders on PostgreSQL never share a commit',
      tests: ['test/database/shared-transactions.test.ts: orders that arrive during a commit'],
    },
    {
      before: `  'applyImport',
  'discardImport',
  'findImportCategories',`,
      after: `  'discardImport',
  'findImportCategories',`,
      breaks: 'an import of a million pets is ended after the usual time of a request',
      tests: ['src/shop/commands.test.ts'],
    },
    {
      before: `return idempotency ? withIdempotencyKey(tx, id, idempotency, context, effect) : effect()`,
      after: `return idempotency && id !== 'cancelOrder'
    ? withIdempotencyKey(tx, id, idempotency, context, effect)
    : effect()`,
      breaks: 'a repeated cancellation is refused although the first one took effect',
      tests: ['test/shop/idempotency.test.ts: a repeated cancellation of an order gets'],
    },
    {
      before: `...(operation.resourceHasEtag && operation.method !== 'PUT' && { etag: etagOf(body) }),`,
      after: `...(operation.resourceHasEtag && { etag: etagOf(body) }),`,
      breaks: 'a PUT has a validator for a text that the store has changed',
      tests: [
        'test/http/conditions.test.ts: the response to a PUT whose body the store transforms has no ETag',
      ],
    },
  ],
  'src/shop/idempotency.ts': [
    {
      before: `if (stored.fingerprint !== fingerprint)`,
      after: `if (stored.fingerprint === '')`,
      breaks: 'another command with the same idempotency key gets the first response',
      tests: ['test/shop/idempotency.test.ts: an idempotency key is refused for another request'],
    },
    {
      before: `location FROM reply
  WHERE owner = $owner AND operation = $operation`,
      after: `location FROM reply
  WHERE owner <= $owner AND operation = $operation`,
      breaks: 'a repeated request gets the stored response of another caller',
      tests: ['test/shop/idempotency.test.ts: a repeated request gets the response of its own caller'],
    },
    {
      before: `    ...(stored.location !== null && { location: stored.location }),\n`,
      after: ``,
      breaks: 'the response to a repeated creation has no Location',
      tests: [
        'test/shop/idempotency.test.ts: a repeated request gets the same response, byte for byte, marked as a repeat',
      ],
    },
  ],
  'src/shop/invariants.ts': [
    {
      before: `if (name !== null && wordsOf(name).includes(word)) missing--`,
      after: `if (name !== null) missing--`,
      breaks: 'the doctor overlooks words that a name does not have',
      tests: ['test/cli/doctor.test.ts: the doctor finds damage'],
    },
    {
      before: `if (row.sortKey !== sortKey(row.name))`,
      after: `if (table === 'pet' && row.sortKey !== sortKey(row.name))`,
      breaks: 'the doctor overlooks a wrong sort key of a category',
      tests: ['test/cli/doctor.test.ts: the doctor finds damage'],
    },
  ],
  'src/shop/paging.ts': [
    {
      before: `const next = rows.length > limit && last ? writeCursor(list, last) : undefined`,
      after: `const next = rows.length >= limit && last ? writeCursor(list, last) : undefined`,
      breaks: 'the last page of a list has a link to an empty page',
      tests: [
        'test/shop/lists.test.ts: a paged list skips and repeats no row when other rows are added and deleted between pages',
      ],
    },
    {
      before: `  const name = requested ?? ranged ?? 'id'`,
      after: `  const name = requested ?? 'id'`,
      breaks: 'a filter by name without a sort is refused',
      tests: [
        'test/shop/lists.test.ts: include=stock adds the stock of each pet, whatever the filters, the sort and the limit',
      ],
    },
    {
      before: `z.string().refine(text => !text.includes('\\0'))`,
      after: `z.string()`,
      breaks: 'on PostgreSQL, a forged cursor with a NUL character causes a server error',
      tests: ['test/http/hostile.test.ts'],
    },
    {
      before: `if (hash !== positionListHash(list) || position === undefined) throw invalidCursor()`,
      after: `if (position === undefined) throw invalidCursor()`,
      breaks: 'a page of the audit log continues another search',
      tests: [
        'test/shop/audit-log.test.ts: a cursor is valid only for the filters with which it was created',
      ],
    },
    {
      before: `(typeof value === 'bigint' ? 'bigint' : 'text')`,
      after: `(typeof value === 'bigint' ? 'text' : 'text')`,
      breaks: 'on PostgreSQL, a list with several categories fails',
      tests: ['test/shop/lists.test.ts: pets match a filter with any'],
    },
    {
      before: `  if (cursor === undefined || cursor === '') return undefined
  const isText`,
      after: `  if (cursor === undefined) return undefined
  const isText`,
      breaks: 'the documented empty cursor is refused',
      tests: [`${CURSORS}: is the first page`],
    },
    {
      before: `sortBy(requested, { name: 'sort_key' }, undefined)`,
      after: `sortBy(requested, { name: 'name_key' }, undefined)`,
      breaks: 'a list by name has Ä after Z',
      tests: ['test/shop/search.test.ts: a list sorted by name'],
    },
  ],
  'src/shop/preconditions.ts': [
    {
      before: `  if (etag.startsWith('W/') || !matchesWeakly`,
      after: `  if (!matchesWeakly`,
      breaks: 'a read of a list with its weak ETag in If-Match succeeds',
      tests: ['test/http/conditions.test.ts: a read of a list with If-Match gets 412'],
    },
  ],
  'src/shop/queries.ts': [
    {
      before: `limit <= SHORT_LIST_ROWS_MAX && isShort`,
      after: `isShort`,
      breaks: 'a long list blocks the thread that serves all requests',
      tests: ['test/database/serving-thread-reads.test.ts: is read on the serving thread'],
    },
    {
      before: `output.isSingle ? etagOf(writeJson(output.items[0])) : weakEtagOf(body)`,
      after: `weakEtagOf(body)`,
      breaks: 'the ETag of a list of one pet cannot be used to change the pet',
      tests: ['test/http/conditions.test.ts: a list filtered to one pet has the ETag of that pet'],
    },
  ],
}
