import type { Operation, Success } from '../contract/operation.ts'
import { isConditional, responseHeaders } from './headers.ts'
import { type Part, schemaPart } from './schemas.ts'

/** Returns whether an operation is in the document. */
type IsDescribed = (id: string) => boolean

/** Returns the success response of an operation and, for a read with an ETag, its 304 response. */
export function successResponses(operation: Operation, isDescribed: IsDescribed): Part {
  const { success, method } = operation
  const schema =
    'list' in success
      ? listPart(success.list, success.itemsMax)
      : 'resource' in success
        ? schemaPart(success.resource)
        : undefined
  const content =
    'stream' in success
      ? {
          // With this format, ogen returns the raw bytes, because it cannot parse a body that does not end.
          'text/event-stream': { schema: { type: 'string', format: 'binary' }, example: success.example },
        }
      : 'file' in success
        ? { [success.file]: { schema: { type: 'string', format: 'binary' } } }
        : schema && { 'application/json': { schema, example: exampleOf(success) } }
  return {
    [success.status]: {
      description: success.description,
      headers: responseHeaders(operation, success.status),
      ...(content && { content }),
      ...linksPart(operation, isDescribed),
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

function exampleOf(success: Success): unknown {
  if ('example' in success) return success.example
  if ('list' in success) return [success.list.meta()?.example]
  return 'resource' in success ? success.resource.meta()?.example : undefined
}

/** Returns the schema of a list: a reference to `Pets`, which the specification names, or else an inline array. */
function listPart(item: Parameters<typeof schemaPart>[0], itemsMax = 100): Part {
  if (item.meta()?.id === 'Pet') return { $ref: '#/components/schemas/Pets' }
  return { type: 'array', maxItems: itemsMax, items: schemaPart(item) }
}

function linksPart({ links = {} }: Operation, isDescribed: IsDescribed): Part {
  const served = Object.entries(links).filter(([, link]) => isDescribed(link.operationId))
  return served.length > 0 ? { links: Object.fromEntries(served) } : {}
}
