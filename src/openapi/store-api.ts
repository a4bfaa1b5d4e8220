import { contract } from '../shop/registry/operations.ts'
import type { DescribedApi } from './document.ts'

/** What the description of the store adds to its operations. */
export const storeApi: DescribedApi = {
  title: 'Petstore',
  summary: 'A store of pets, categories, stock and orders.',
  revision: 4,
  operations: contract,
  server: 'This store.',
  introduction,
  tags: {
    Pets: 'The catalogue: pets and their categories.',
    Store: 'Orders, and the stock that they reserve.',
    Events: 'Every change, as a feed and as a stream.',
    Webhooks: 'Receivers that events are sent to.',
    Keys: 'API keys and the audit log.',
    Service: 'Information about the service.',
  },
  tagGroups: {
    Shop: { description: 'What a shop sells.', tags: ['Pets', 'Store'] },
    Integration: { description: 'How programs learn what happened.', tags: ['Events', 'Webhooks'] },
    Administration: { description: 'Who may do what, and the service itself.', tags: ['Keys', 'Service'] },
  },
  key:
    'A key of the store. The description and the `x-scope` of an operation name the scope that it requires. ' +
    '`admin` includes all scopes, and `keys:manage` includes `audit:read`.',
}

/** Returns the introduction: a first call, the key, the guides, and then the rules that hold for every operation. */
function introduction(base: string): string {
  return `A store of pets, categories, stock and orders.

## First call

Reading pets needs no key. Placing an order needs one:

\`\`\`sh
BASE=${base}
curl "$BASE/pets?limit=3"

KEY=$(cat data/admin-key)
curl -X POST $BASE/store/orders -d '{"petId":3}' \\
  -H 'Content-Type: application/json' \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Idempotency-Key: "first-order"'
\`\`\`

The first start of a store writes the key of its administrator to the file \`admin-key\` in its data directory. A store
that somebody else runs needs a key from its operator. \`GET /keys/current\` says what a key may do.

The [guides](${base}/docs/guide) explain the rest, such as how to
[call the store from a program](${base}/docs/guide/clients), [follow its events](${base}/docs/guide/events) and
[run a shop](${base}/docs/guide/shop). The same contract is available in [OpenAPI 3.1](${base}/openapi-3.1.yaml) and
[3.2](${base}/openapi-3.2.yaml), the events in [AsyncAPI](${base}/asyncapi.yaml), and each schema in
[JSON Schema](${base}/schemas/Pet.json).

## Conventions

- Lists are plain arrays, in pages: \`Link\` names the next page while there is more.
- Every error is an \`Error\` with a code from the catalogue at \`/errors\`. If \`Accept\` names
  \`application/problem+json\`, the error is a problem (RFC 9457), with the additional members \`type\`, \`title\`,
  \`detail\` and \`instance\`. \`x-error-codes\` lists the codes of each operation by status.
- A POST, PATCH, PUT or DELETE with an \`Idempotency-Key\` takes effect once, however often it is sent within 24 hours
  (a key is kept for at least that long).
  Operations whose response contains a secret accept no such key. An \`Idempotency-Key\` belongs to one API key and one
  operation.
- Every read with an ETag evaluates \`If-None-Match\` and \`If-Match\`. The ETag of a list is weak: only \`If-Match: *\`
  matches it. A list that \`id\` or \`petId\` filters to one pet or one inventory item has the ETag of that resource.
  A proxy that compresses responses makes this ETag weak: \`If-Match\` accepts it with and without \`W/\`.
- A PATCH is a JSON Merge Patch (RFC 7396), as \`application/json\` or \`application/merge-patch+json\`.
- Ids are 64-bit integers, read and sent without loss of precision.
- Text is stored as it was sent; it must not contain U+0000. Instants are RFC 3339 date-times in the years 0001 to
  9999, without leap seconds.
- Every change is published as a CloudEvents 1.0 event: in the feed, in the stream, and to webhooks.
- A request may name its trace in \`traceparent\` (W3C Trace Context): the events of its changes, their deliveries and
  the log carry it.
- Later versions may add members to responses, values to enums, and event types. Ignore those you do not know, and
  request the event types you know with \`type=\`. Unknown members of a request are rejected (422).
- \`beta\` and \`experimental\` operations may change. A deprecated operation is available until its sunset date.
- Every path that supports GET supports HEAD. Every path supports OPTIONS, which returns \`Allow\`.
- The runtime rejects malformed HTTP (400), a request head over 16 KiB (431) and a body over 8 MiB (413) before any
  operation runs. These responses have no body.`
}
