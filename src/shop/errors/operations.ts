import { ErrorInfo } from '../../contract/error-schema.ts'
import type { Operation } from '../../contract/operation.ts'
import { textParameter } from '../../contract/parameter.ts'
import { errorNotFound } from './refusals.ts'

export const errors = {
  listErrors: {
    method: 'GET',
    path: '/errors',
    isShort: () => true,
    tag: 'Service',
    summary: 'List the error codes',
    description: 'Returns the whole catalogue: every code, its status and its meaning.',
    scope: 'public',
    success: {
      status: 200,
      list: ErrorInfo,
      description: 'The catalogue.',
      example: [
        {
          code: 'malformed_json',
          status: 400,
          meaning: 'The body is not one well-formed JSON text in UTF-8.',
        },
        {
          code: 'invalid_parameter',
          status: 400,
          meaning: 'A path, query or header parameter is not valid.',
        },
      ],
    },
  },
  getError: {
    method: 'GET',
    path: '/errors/{code}',
    tag: 'Service',
    summary: 'Read an error code',
    description: 'Returns one entry of the catalogue. The `type` of a problem is the URL of its entry.',
    scope: 'public',
    pathParameters: { code: textParameter(1, 100, 'The code.', 'pet_not_found') },
    success: { status: 200, resource: ErrorInfo, description: 'The entry of the catalogue.' },
    resourceHasEtag: true,
    errors: [errorNotFound('no_such_code')],
  },
} as const satisfies Record<string, Operation>
