import { writeJson } from '../../values/json.ts'
import { itemsOf } from './faults-of-responses.ts'
import {
  type BenchReply,
  bodyOf,
  type FaultOfClass,
  isObject,
  onStatus,
  onSuccess,
  Remembered,
  type ReplyChange,
  repeated,
  withHeaders,
} from './planted-fault.ts'

const LIMIT_DEFAULT = 20
const LIMIT_MAX = 100

export const conditionFaults: readonly FaultOfClass[] = [
  {
    id: 'if-match-ignored',
    summary: 'A change is made although If-Match does not match.',
    sign: 'The change of somebody else is overwritten in place of a 412.',
    clause: 'RFC 9110, section 13.1.1: the server MUST NOT perform the method',
    operations: ['updateCategory', 'updatePet', 'updateOrder', 'setInventory'],
    change: repeated(
      ({ status }) => status === 412,
      () => ({ without: 'if-match' }),
    ),
  },
  {
    id: 'if-match-ignored-by-delete',
    summary: 'A deletion is made although If-Match does not match.',
    sign: 'A resource that somebody has changed is deleted in place of a 412.',
    clause: 'RFC 9110, section 13.1.1: the server MUST NOT perform the method',
    operations: ['deleteCategory', 'deletePet', 'cancelOrder'],
    change: repeated(
      ({ status }) => status === 412,
      () => ({ without: 'if-match' }),
    ),
  },
  {
    id: 'conflict-for-precondition',
    summary: 'A condition that does not hold gets 409.',
    sign: 'The status is not 412.',
    clause: 'RFC 9110, section 15.5.13 (412)',
    operations: ['updateCategory', 'updatePet', 'deleteCategory'],
    change: onStatus(412, reply => ({ ...reply, status: 409 })),
  },
  {
    id: 'if-none-match-ignored',
    summary: 'If-None-Match is ignored.',
    sign: 'An unchanged resource is sent again in place of a 304.',
    clause: 'RFC 9110, section 13.1.2',
    operations: ['getCategory', 'getInventoryItem', 'listPets', 'getOrder'],
    change: repeated(
      ({ status }) => status === 304,
      () => ({ without: 'if-none-match' }),
    ),
  },
  {
    id: 'not-modified-after-change',
    summary: 'Every ETag that a resource once had gets 304.',
    sign: 'A client keeps a representation that has changed.',
    clause: 'RFC 9110, section 13.1.2: 304 only if the current ETag is listed',
    operations: ['getCategory', 'getInventoryItem', 'getOrder'],
    change: () => {
      const earlier = new Remembered<true>()
      return (reply, { path, headers }) => {
        const tag = reply.headers.get('etag')
        if (reply.status !== 200 || tag === null) return undefined
        const isEarlier = earlier.has(`${path} ${headers.get('if-none-match')}`)
        earlier.set(`${path} ${tag}`, true)
        return isEarlier
          ? { ...withHeaders(reply, { 'Content-Type': undefined }), status: 304, text: '' }
          : undefined
      }
    },
  },
]

export const pagingFaults: readonly FaultOfClass[] = [
  {
    id: 'item-skipped',
    summary: 'Each page after the first lacks its first item.',
    sign: 'An item is on no page.',
    clause: 'Description: pages skip no item',
    operations: ['listPets', 'listCategories', 'listInventory', 'listOrders'],
    change: onSuccess((body, _, { query }) =>
      Array.isArray(body) && query.has('cursor') && body.length > 0 ? body.slice(1) : undefined,
    ),
  },
  {
    id: 'item-twice',
    summary: 'Each page after the first starts with the last item of the page before.',
    sign: 'An item is on two pages; a page can be longer than its limit.',
    clause: 'Description: pages repeat no item',
    operations: ['listPets', 'listCategories', 'listInventory', 'listOrders'],
    change: () => {
      const lastItems = new Remembered<string>()
      return (reply, { query }) => {
        const items = itemsOf(reply)
        const next = linkOf(reply, 'next')?.searchParams.get('cursor')
        const before = lastItems.get(query.get('cursor') ?? '')
        if (next && items && items.length > 0) lastItems.set(next, writeJson(items.at(-1)))
        if (!items || before === undefined) return undefined
        return { ...reply, text: `[${[before, ...items.map(item => writeJson(item))].join(',')}]` }
      }
    },
  },
  {
    id: 'pages-never-end',
    summary: 'The last page has a link to the first as its next page.',
    sign: 'A client that follows the links never ends.',
    clause: 'RFC 8288 and the description: the last page has no link next',
    operations: ['listPets', 'listCategories', 'listInventory', 'listOrders'],
    change: () => reply => {
      const first = linkOf(reply, 'first')
      if (!first || linkOf(reply, 'next')) return undefined
      return withHeaders(reply, { Link: `<${first.href}>; rel="next", ${reply.headers.get('link')}` })
    },
  },
  {
    id: 'limit-exceeded',
    summary: 'A page has one item more than its limit.',
    sign: 'A page is longer than the limit that was asked for.',
    clause: 'Description, parameter limit: the maximum number of items',
    operations: ['listPets', 'listCategories', 'listInventory', 'listOrders'],
    change: repeated(
      (reply, { query }) => itemsOf(reply)?.length === limitOf(query) && limitOf(query) < LIMIT_MAX,
      ({ query }) => ({ query: changed(query, 'limit', String(limitOf(query) + 1)) }),
    ),
  },
  {
    id: 'sort-ignored',
    summary: 'The parameter sort is ignored.',
    sign: 'A list is not in the order that was asked for.',
    clause: 'Description, parameter sort',
    operations: ['listPets', 'listCategories', 'listInventory', 'listOrders'],
    change: repeated(
      ({ status }, { query }) => status === 200 && query.has('sort') && !query.has('cursor'),
      ({ query }) => ({ query: changed(query, 'sort') }),
    ),
  },
  {
    id: 'filter-ignored',
    summary: 'The filter status, or complete, is ignored.',
    sign: 'A list has items that the filter excludes.',
    clause: 'Description, parameters status and complete',
    operations: ['listPets', 'listInventory', 'listOrders'],
    change: repeated(
      ({ status }, { query }) => status === 200 && (query.has('status') || query.has('complete')),
      ({ query }) =>
        query.has('cursor') ? undefined : { query: changed(changed(query, 'status'), 'complete') },
    ),
  },
  {
    id: 'next-without-filters',
    summary: 'The link to the next page lacks the filters and the limit.',
    sign: 'The next page is refused, or has other items.',
    clause: 'Description: the links keep the filters',
    operations: ['listPets', 'listInventory', 'listOrders'],
    change: () => reply => {
      const next = linkOf(reply, 'next')
      const cursor = next?.searchParams.get('cursor')
      if (!next || !cursor || next.searchParams.size === 1) return undefined
      const link = reply.headers
        .get('link')
        ?.replace(next.href, `${next.origin}${next.pathname}?cursor=${cursor}`)
      return link === reply.headers.get('link') ? undefined : withHeaders(reply, { Link: link })
    },
  },
]

const KEYED = ['placeOrder', 'createCategory', 'createPet', 'adjustInventory'] as const

/** Returns a change that knows the first reply to each Idempotency-Key, and the key before. */
function withReplies(
  change: (
    reply: BenchReply,
    known: { readonly own: BenchReply | undefined; readonly other: () => BenchReply | undefined },
  ) => BenchReply | undefined,
): () => ReplyChange {
  return () => {
    const replies = new Remembered<BenchReply>()
    return (reply, { headers, operationId }) => {
      const key = headers.get('idempotency-key')
      if (key === null) return undefined
      const name = `${operationId} ${key}`
      const other = (): BenchReply | undefined =>
        [...replies].findLast(([one]) => one !== name && one.startsWith(`${operationId} `))?.[1]
      const wrong = change(reply, { own: replies.get(name), other })
      if (reply.status < 300 && !replies.has(name)) replies.set(name, reply)
      return wrong && withHeaders(wrong, { 'X-Request-Id': reply.headers.get('x-request-id') ?? undefined })
    }
  }
}

export const idempotencyFaults: readonly FaultOfClass[] = [
  {
    id: 'second-effect',
    summary: 'A repeat with the same Idempotency-Key takes effect again.',
    sign: 'There are two resources, or the stock has changed twice.',
    clause: 'draft-ietf-httpapi-idempotency-key-header-07, section 2.6',
    operations: KEYED,
    change: repeated(
      ({ headers }) => headers.has('idempotent-replayed'),
      () => ({ without: 'idempotency-key' }),
    ),
  },
  {
    id: 'replay-differs',
    summary: 'A repeat gets the members of the first response in another order.',
    sign: 'The bytes of the two responses differ.',
    clause: 'Description: a repeat gets the same response, byte for byte',
    operations: KEYED,
    change: onSuccess((body, { headers }) =>
      isObject(body) && headers.has('idempotent-replayed')
        ? Object.fromEntries(Object.entries(body).reverse())
        : undefined,
    ),
  },
  {
    id: 'replay-of-another-key',
    summary: 'A repeat gets the response of another Idempotency-Key.',
    sign: 'A client takes the resource of another request for its own.',
    clause: 'draft-ietf-httpapi-idempotency-key-header-07, section 2.6',
    operations: KEYED,
    change: withReplies((reply, { other }) =>
      reply.headers.has('idempotent-replayed') ? other() : undefined,
    ),
  },
  {
    id: 'key-reuse-accepted',
    summary: 'Another request with a used Idempotency-Key gets the response of the first.',
    sign: 'A request that was never made seems to have succeeded, in place of a 422.',
    clause: 'draft-ietf-httpapi-idempotency-key-header-07, section 2.7',
    operations: KEYED,
    change: withReplies((reply, { own }) => {
      const body = bodyOf(reply)
      return isObject(body) && body.code === 'idempotency_key_reused' ? own : undefined
    }),
  },
  {
    id: 'replay-with-other-status',
    summary: 'A repeat gets 200 in place of 201.',
    sign: 'The two responses have different statuses; 200 is not in the description.',
    clause: 'draft-ietf-httpapi-idempotency-key-header-07, section 2.6',
    operations: KEYED,
    change: onStatus(201, reply =>
      reply.headers.has('idempotent-replayed') ? { ...reply, status: 200 } : undefined,
    ),
  },
]

export const securityFaults: readonly FaultOfClass[] = [
  {
    id: 'open-operation',
    summary: 'An operation needs no key.',
    sign: 'A request without Authorization succeeds.',
    clause: 'OpenAPI 3.0.3, Security Requirement Object',
    operations: ['listOrders', 'listKeys', 'listWebhooks', 'createCategory', 'getStoreSummary'],
    change: repeated(
      ({ status }, { headers }) => status === 401 && !headers.has('authorization'),
      () => ({ isAdmin: true }),
    ),
  },
  {
    id: 'any-key-works',
    summary: 'A key that the store never made works.',
    sign: 'A request with an invalid key succeeds.',
    clause: 'RFC 6750, section 3.1: invalid_token gets 401',
    operations: ['listOrders', 'listKeys', 'placeOrder', 'createCategory'],
    change: repeated(
      ({ status }, { headers }) => status === 401 && headers.has('authorization'),
      () => ({ isAdmin: true, without: 'authorization' }),
    ),
  },
  {
    id: 'revoked-key-works',
    summary: 'A key goes on working after it was revoked.',
    sign: 'A request with a revoked key succeeds.',
    clause: 'RFC 6750, section 3.1: a revoked token gets 401',
    operations: ['listOrders', 'getStoreSummary', 'placeOrder', 'createCategory'],
    change: () => {
      const working = new Remembered<true>()
      const again = repeated(
        ({ status }, { headers }) => status === 401 && working.has(headers.get('authorization') ?? ''),
        () => ({ isAdmin: true, without: 'authorization' }),
      )()
      return (reply, call) => {
        if (reply.status < 300) working.set(call.headers.get('authorization') ?? '', true)
        return again(reply, call)
      }
    },
  },
  {
    id: 'scope-unchecked',
    summary: 'A key may use an operation whose scope it lacks.',
    sign: 'A request that should get 403 succeeds.',
    clause: 'RFC 6750, section 3.1: insufficient_scope gets 403',
    operations: ['createCategory', 'createPet', 'adjustInventory', 'listOrders'],
    change: repeated(
      ({ status }) => status === 403,
      () => ({ isAdmin: true }),
    ),
  },
  {
    id: 'secret-shown',
    summary: 'A list shows secrets.',
    sign: 'A response has a secret that is shown only once, in a member that is not described.',
    clause: 'Guide: the secret of a webhook and the text of a key are shown once',
    operations: ['listWebhooks', 'getWebhook', 'listKeys'],
    change: onSuccess((body, _, { operationId }) => {
      const secret =
        operationId === 'listKeys' ? { key: `pst_${'0'.repeat(49)}` } : { secret: 'whsec_bm90IGEgc2VjcmV0' }
      if (!Array.isArray(body)) return isObject(body) ? { ...body, ...secret } : undefined
      return body.length === 0
        ? undefined
        : body.map(item => (isObject(item) ? { ...item, ...secret } : item))
    }),
  },
]

/** Returns the address of a link of a list; undefined if it has none. */
function linkOf({ headers }: BenchReply, rel: 'first' | 'next'): URL | undefined {
  const links = headers.get('link')?.split(', ') ?? []
  const link = links.find(text => text.endsWith(`>; rel="${rel}"`))
  return link === undefined ? undefined : new URL(link.slice(1, link.lastIndexOf('>')))
}

function limitOf(query: URLSearchParams): number {
  return Number(query.get('limit') ?? LIMIT_DEFAULT)
}

/** Returns the query with another value of a parameter, or without it. */
function changed(query: URLSearchParams, name: string, value?: string): URLSearchParams {
  const others = new URLSearchParams(query)
  if (value === undefined) others.delete(name)
  else others.set(name, value)
  return others
}
