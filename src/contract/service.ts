import { ErrorInfo } from '../model/error.ts'
import { ImportOutcome, ImportRows, ImportScope } from '../model/import.ts'
import type { Operation } from './operation.ts'
import { idParameter, textParameter } from './parameter.ts'

const importParameters = { importId: idParameter('A number that the importer chooses.') }

export const service = {
  listErrors: {
    method: 'GET',
    path: '/errors',
    tag: 'Service',
    summary: 'List the error codes',
    description: 'Returns the whole catalogue: every code, its status and its meaning.',
    scope: 'public',
    stability: 'stable',
    reads: 'row',
    success: { status: 200, list: ErrorInfo, description: 'The catalogue.' },
    errors: [],
  },
  getError: {
    method: 'GET',
    path: '/errors/{code}',
    tag: 'Service',
    summary: 'Read an error code',
    description: 'Returns one entry of the catalogue. The `type` of a problem is the URL of its entry.',
    scope: 'public',
    stability: 'stable',
    reads: 'row',
    pathParameters: { code: textParameter(1, 100, 'The code.', 'pet_not_found') },
    success: { status: 200, resource: ErrorInfo, description: 'The entry of the catalogue.' },
    etag: true,
    errors: ['error_not_found'],
  },
  stageImport: {
    method: 'POST',
    path: '/imports/{importId}/rows',
    tag: 'Service',
    summary: 'Stage rows of an import',
    scope: 'pets:write',
    stability: 'stable',
    hidden: true,
    pathParameters: importParameters,
    body: ImportRows,
    success: { status: 204, description: 'The rows were staged.' },
    errors: [],
  },
  applyImport: {
    method: 'POST',
    path: '/imports/{importId}/apply',
    tag: 'Service',
    summary: 'Load the staged rows, all or nothing',
    scope: 'pets:write',
    stability: 'stable',
    hidden: true,
    pathParameters: importParameters,
    body: ImportScope,
    success: {
      status: 200,
      resource: ImportOutcome,
      description: 'What was loaded, and which rows cannot be loaded.',
    },
    errors: [],
  },
  discardImport: {
    method: 'DELETE',
    path: '/imports/{importId}',
    tag: 'Service',
    summary: 'Discard the staged rows',
    scope: 'pets:write',
    stability: 'stable',
    hidden: true,
    pathParameters: importParameters,
    success: { status: 204, description: 'The rows were discarded.' },
    errors: [],
  },
} as const satisfies Record<string, Operation>
