import { errorTable } from '../../contract/error.ts'
import { parseJson, writeJson } from '../../values/json.ts'
import {
  type BenchReply,
  bodyOf,
  type FaultOfClass,
  isObject,
  onBody,
  onMember,
  onStatus,
  onSuccess,
  withHeaders,
} from './planted-fault.ts'

const PET_NAME_LONG_CHARS = 100
const BEYOND_BMP = /[\u{10000}-\u{10FFFF}]/u
/** Integers above this are rounded by a number of 32 bits (IEEE 754). */
const EXACT_IN_FLOAT_32 = 16_777_216n

const SCHEMA = 'OpenAPI 3.0.3, Schema Object: the response does not have its schema'
const UNDOCUMENTED = 'OpenAPI 3.0.3, Responses Object: the status is not documented'

export const schemaFaults: readonly FaultOfClass[] = [
  {
    id: 'member-missing',
    summary: 'A category has no name.',
    sign: 'A required member is absent.',
    clause: SCHEMA,
    operations: ['getCategory', 'createCategory', 'updateCategory'],
    change: onMember('name', () => undefined, true),
  },
  {
    id: 'member-missing-in-list',
    summary: 'The last pet of a page has no categoryId.',
    sign: 'A required member is absent in one item of a list.',
    clause: SCHEMA,
    operations: ['listPets'],
    change: onMember('categoryId', () => undefined, true),
  },
  {
    id: 'number-as-text',
    summary: 'The quantity of an order is a text.',
    sign: 'A member has the wrong type.',
    clause: SCHEMA,
    operations: ['getOrder', 'listOrders', 'placeOrder', 'updateOrder'],
    change: onMember('quantity', value => String(value)),
  },
  {
    id: 'boolean-as-text',
    summary: 'The member complete of an order is a text.',
    sign: 'A member has the wrong type; in many languages, the text "false" counts as true.',
    clause: SCHEMA,
    operations: ['getOrder', 'listOrders', 'placeOrder', 'updateOrder'],
    change: onMember('complete', value => String(value)),
  },
  {
    id: 'member-null',
    summary: 'The reserved units of an inventory item are null.',
    sign: 'A member is null although its schema is not nullable.',
    clause: SCHEMA,
    operations: ['getInventoryItem', 'listInventory', 'setInventory'],
    change: onMember('reserved', () => null),
  },
  {
    id: 'beyond-enum',
    summary: 'A pet has the status "reserved".',
    sign: 'A value is none of its enum.',
    clause: SCHEMA,
    operations: ['listPets', 'getPet', 'createPet', 'updatePet'],
    change: onMember('status', () => 'reserved'),
  },
  {
    id: 'int64-rounded',
    summary: 'A price is rounded to a number of 32 bits, so that large prices are wrong.',
    sign: 'A price above 16,777,216 is another one than was set.',
    clause: 'OpenAPI Format Registry, int64: every integer of 64 bits is exact',
    operations: ['listPets', 'getPet', 'createPet', 'updatePet'],
    change: onMember('price', value => {
      if (typeof value !== 'bigint' || value <= EXACT_IN_FLOAT_32) return undefined
      const rounded = BigInt(Math.fround(Number(value)))
      return rounded === value ? undefined : rounded
    }),
  },
  {
    id: 'date-time-without-t',
    summary: 'The creation time of an order has a space in place of the T.',
    sign: 'A date-time is not one of RFC 3339.',
    clause: 'RFC 3339, section 5.6, with the format date-time of the schema',
    operations: ['getOrder', 'listOrders', 'placeOrder', 'updateOrder'],
    change: onMember('createdAt', value =>
      typeof value === 'string' ? value.replace('T', ' ').replace('Z', '') : undefined,
    ),
  },
  {
    id: 'list-in-object',
    summary: 'The list is in a member of an object.',
    sign: 'The body is an object in place of an array.',
    clause: SCHEMA,
    operations: ['listCategories', 'listOrders', 'listInventory'],
    change: onSuccess(body => (Array.isArray(body) ? { items: body } : undefined)),
  },
  {
    id: 'negative-quantity',
    summary: 'A sold-out item has -1 units.',
    sign: 'A number is below its minimum.',
    clause: SCHEMA,
    operations: ['getInventoryItem', 'listInventory'],
    change: onMember('quantity', value => (value === 0n ? -1n : undefined)),
  },
  {
    id: 'error-with-other-status',
    summary: 'The body of an error has the status 500, whatever its status line.',
    sign: 'The member status of an error differs from the status of the response.',
    clause: 'Description, schema Error: status is that of the response (RFC 9457, section 3.1.2)',
    operations: ['getCategory', 'getOrder', 'placeOrder', 'createPet'],
    change: onBody((body, { status }) =>
      status >= 400 && isObject(body) && 'status' in body ? { ...body, status: 500n } : undefined,
    ),
  },
]

export const statusFaults: readonly FaultOfClass[] = [
  {
    id: 'undocumented-success',
    summary: 'A change is accepted with 202.',
    sign: 'The status is not in the description.',
    clause: UNDOCUMENTED,
    operations: ['updateCategory', 'updatePet', 'updateOrder'],
    change: onStatus(200, reply => ({ ...reply, status: 202 })),
  },
  {
    id: 'ok-for-missing',
    summary: 'What does not exist gets 200, with an error as its body.',
    sign: 'A read of what does not exist succeeds; the body does not have the schema of the resource.',
    clause: 'RFC 9110, section 15.5.5 (404)',
    operations: ['getOrder', 'getCategory', 'getInventoryItem'],
    change: onStatus(404, reply => ({ ...reply, status: 200 })),
  },
  {
    id: 'ok-for-created',
    summary: 'A creation gets 200.',
    sign: 'The status is not in the description.',
    clause: UNDOCUMENTED,
    operations: ['placeOrder', 'createCategory', 'createPet'],
    change: onStatus(201, reply => ({ ...reply, status: 200 })),
  },
  {
    id: 'server-error-on-emoji',
    summary: 'A creation with a character beyond the first 65,536 gets 500, although it was made.',
    sign: 'A valid text gets a server error.',
    clause: 'RFC 9110, section 15.6: the request is valid, so the server is wrong',
    operations: ['createCategory', 'createPet', 'updatePet', 'placeOrder'],
    change: onStatus(201, (reply, { body }) =>
      BEYOND_BMP.test(decoded(body)) ? serverError(reply) : undefined,
    ),
  },
  {
    id: 'server-error-on-long-text',
    summary: `A creation with a body of more than ${PET_NAME_LONG_CHARS} characters gets 500, although it was made.`,
    sign: 'A text that is not too long gets a server error.',
    clause: 'RFC 9110, section 15.6: the request is valid, so the server is wrong',
    operations: ['createCategory', 'createPet'],
    change: onStatus(201, (reply, { body }) =>
      [...body].length > PET_NAME_LONG_CHARS ? serverError(reply) : undefined,
    ),
  },
  {
    id: 'server-error-for-invalid',
    summary: 'An invalid body gets 500.',
    sign: 'A mistake of the client is called one of the server.',
    clause: 'RFC 9110, section 15.5.21 (422)',
    operations: ['createPet', 'placeOrder', 'updateCategory'],
    change: onStatus(422, serverError),
  },
  {
    id: 'bad-request-for-conflict',
    summary: 'A conflict gets 400.',
    sign: 'The status does not belong to the code of the error, and differs from that in the body.',
    clause: 'Catalogue of errors (/errors): each code has one status; RFC 9110, section 15.5.10 (409)',
    operations: ['placeOrder', 'deleteCategory', 'cancelOrder', 'updateOrder'],
    change: onStatus(409, reply => ({ ...reply, status: 400 })),
  },
  {
    id: 'not-found-for-empty-list',
    summary: 'An empty list gets 404.',
    sign: 'A filter without a match fails in place of an empty list; the status is not in the description.',
    clause: UNDOCUMENTED,
    operations: ['listPets', 'listOrders', 'listSales'],
    change: onStatus(200, reply => (reply.text === '[]' ? { ...reply, status: 404 } : undefined)),
  },
]

/** Returns a JSON text without escapes: a character may be written as itself, or as two escapes. */
function decoded(json: string): string {
  return json === '' ? '' : writeJson(parseJson(json))
}

function serverError(reply: BenchReply): BenchReply {
  const { meaning: message } = errorTable.internal_error
  const text = writeJson({ code: 'internal_error', message, status: 500n })
  return { ...withHeaders(reply, { Location: undefined, ETag: undefined }), status: 500, text }
}

export const headerFaults: readonly FaultOfClass[] = [
  {
    id: 'location-missing',
    summary: 'A creation has no Location.',
    sign: 'A documented header field is absent.',
    clause: 'RFC 9110, section 15.3.2 (201), and the description',
    operations: ['createCategory', 'createPet', 'placeOrder'],
    change: onStatus(201, reply => withHeaders(reply, { Location: undefined })),
  },
  {
    id: 'location-of-another',
    summary: 'Location is the address of the next resource.',
    sign: 'The resource at Location is another one, or does not exist.',
    clause: 'RFC 9110, section 10.2.2 (Location)',
    operations: ['createCategory', 'createPet', 'placeOrder'],
    change: onStatus(201, reply => {
      const location = reply.headers.get('location')
      if (location === null) return undefined
      const idAt = location.lastIndexOf('/') + 1
      return withHeaders(reply, { Location: location.slice(0, idAt) + (BigInt(location.slice(idAt)) + 1n) })
    }),
  },
  {
    id: 'etag-constant',
    summary: 'Every resource has the same ETag at all times.',
    sign: 'Two different representations have one strong ETag.',
    clause: 'RFC 9110, section 8.8.1: a strong validator changes with the representation',
    operations: ['getCategory', 'getOrder', 'getInventoryItem'],
    change: onStatus(200, reply => withHeaders(reply, { ETag: '"1"' })),
  },
  {
    id: 'etag-changing',
    summary: 'Each response has another ETag.',
    sign: 'Two reads of an unchanged resource have two ETags, so it can never be changed conditionally.',
    clause: 'RFC 9110, section 8.8.3, and the description: the ETag is that of the representation',
    operations: ['getCategory', 'getOrder', 'getInventoryItem'],
    change: onStatus(200, reply => withHeaders(reply, { ETag: `"${crypto.randomUUID()}"` })),
  },
  {
    id: 'json-as-text',
    summary: 'JSON has the type text/plain.',
    sign: 'The Content-Type is not in the description.',
    clause: 'OpenAPI 3.0.3, Media Type Object; RFC 9110, section 8.3',
    operations: ['listOrders', 'getStoreSummary', 'listCategories'],
    change: onStatus(200, reply => withHeaders(reply, { 'Content-Type': 'text/plain; charset=utf-8' })),
  },
  {
    id: 'error-as-html',
    summary: 'An error is a page in HTML.',
    sign: 'The Content-Type of an error is not in the description, and its body is no JSON.',
    clause: 'OpenAPI 3.0.3, Media Type Object',
    operations: ['getCategory', 'getOrder', 'placeOrder'],
    change: () => reply =>
      reply.status < 400 || reply.text === ''
        ? undefined
        : {
            ...withHeaders(reply, { 'Content-Type': 'text/html; charset=utf-8' }),
            text: `<html><body><h1>Error ${reply.status}</h1></body></html>`,
          },
  },
  {
    id: 'allow-missing',
    summary: 'A response 405 has no Allow.',
    sign: 'A client cannot see which methods there are.',
    clause: 'RFC 9110, section 15.5.6 (405): the server MUST send Allow',
    operations: ['listCategories', 'listPets', 'listOrders'],
    change: onStatus(405, reply => withHeaders(reply, { Allow: undefined })),
  },
  {
    id: 'retry-after-missing',
    summary: 'A response 429 or 503 has no Retry-After. Ask for one with Petstore-Fault.',
    sign: 'A documented header field is absent.',
    clause: 'Description: 429 and 503 say when to try again (RFC 9110, section 10.2.3)',
    operations: ['listPets', 'placeOrder', 'getCategory'],
    change: () => reply =>
      (reply.status === 429 || reply.status === 503) && reply.headers.has('retry-after')
        ? withHeaders(reply, { 'Retry-After': undefined })
        : undefined,
  },
  {
    id: 'deprecation-missing',
    summary: 'A deprecated operation has neither Deprecation nor Sunset.',
    sign: 'The description says that the operation is deprecated, and its responses do not.',
    clause: 'RFC 9745, section 2; RFC 8594, section 3; the description',
    operations: ['getPet'],
    change: onStatus(200, reply => withHeaders(reply, { Deprecation: undefined, Sunset: undefined })),
  },
  {
    id: 'challenge-missing',
    summary: 'A response 401 has no WWW-Authenticate.',
    sign: 'A client cannot see how to authenticate.',
    clause: 'RFC 9110, section 15.5.2 (401): the server MUST send WWW-Authenticate',
    operations: ['listOrders', 'createPet', 'createCategory', 'placeOrder'],
    change: onStatus(401, reply => withHeaders(reply, { 'WWW-Authenticate': undefined })),
  },
  {
    id: 'vary-missing',
    summary: 'An error does not say that it depends on Accept.',
    sign: 'A cache may serve the problem of RFC 9457 to a client that wants plain JSON.',
    clause: 'RFC 9110, section 12.5.5 (Vary)',
    operations: ['getCategory', 'getInventoryItem', 'getOrder'],
    change: () => reply =>
      reply.status >= 400 && reply.headers.get('vary')?.includes('Accept')
        ? withHeaders(reply, { Vary: reply.headers.get('vary')?.replace(/, Accept$/, '') })
        : undefined,
  },
  {
    id: 'request-id-of-another',
    summary: 'A response has another X-Request-Id than its request.',
    sign: 'The id that the client chose does not come back.',
    clause: 'Description: a valid X-Request-Id is returned',
    operations: ['listPets', 'placeOrder', 'getCategory'],
    change:
      () =>
      (reply, { headers }) =>
        headers.get('x-request-id') === reply.headers.get('x-request-id')
          ? withHeaders(reply, { 'X-Request-Id': `not-${reply.headers.get('x-request-id') ?? ''}` })
          : undefined,
  },
  {
    id: 'head-differs',
    summary: 'The response to HEAD has no ETag.',
    sign: 'HEAD does not have the header fields of GET.',
    clause: 'RFC 9110, section 9.3.2 (HEAD)',
    operations: ['getCategory', 'getOrder', 'listPets'],
    change:
      () =>
      (reply, { method }) =>
        method === 'HEAD' && reply.headers.has('etag') ? withHeaders(reply, { ETag: undefined }) : undefined,
  },
]

/** Whether a JSON body of a reply is a list, and its items. */
export function itemsOf(reply: BenchReply) {
  const body = reply.status === 200 ? bodyOf(reply) : undefined
  return Array.isArray(body) ? body : undefined
}
