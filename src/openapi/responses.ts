import type { Operation } from '../contract/operation.ts'
import type { OperationId } from '../shop/operations.ts'
import { streamExample } from './event-examples.ts'
import { responseExample } from './examples.ts'
import { isConditional, responseHeaders } from './headers.ts'
import { links } from './links.ts'
import { type Part, schemaPart } from './schemas.ts'

/** Returns whether an operation is in the document. */
export type IsDescribed = (id: OperationId) => boolean

/** Returns the success response of an operation and, for a read with an ETag, its 304 response. */
export function successResponses(id: OperationId, operation: Operation, isDescribed: IsDescribed): Part {
  const { success, method } = operation
  const schema =
    'list' in success
      ? listPart(success.list)
      : 'resource' in success
        ? schemaPart(success.resource)
        : undefined
  const content =
    'stream' in success
      ? {
          // With this format, ogen returns the raw bytes, because it cannot parse a body that does not end.
          'text/event-stream': { schema: { type: 'string', format: 'binary' }, example: streamExample },
        }
      : schema && { 'application/json': { schema, example: responseExample(id) } }
  return {
    [success.status]: {
      description: success.description,
      headers: responseHeaders(operation, success.status),
      ...(content && { content }),
      ...linksPart(id, isDescribed),
    },
    ...(method === 'GET' &&
      isConditional(operation) && {
        304: {
          description: 'Not modified: If-None-Match contains the current ETag.',
          headers: responseHeaders(operation, 304),
        },
      }),
  }
}

/** Returns the schema of a list: a reference to `Pets`, which the specification names, or else an inline array. */
function listPart(item: Parameters<typeof schemaPart>[0]): Part {
  if (item.meta()?.id === 'Pet') return { $ref: '#/components/schemas/Pets' }
  return { type: 'array', maxItems: 100, items: schemaPart(item) }
}

function linksPart(id: OperationId, isDescribed: IsDescribed): Part {
  const served = Object.entries(links[id] ?? {}).filter(([, link]) => isDescribed(link.operationId))
  return served.length > 0 ? { links: Object.fromEntries(served) } : {}
}
