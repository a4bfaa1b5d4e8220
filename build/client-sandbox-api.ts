import type { Operation } from '../src/contract/operation.ts'
import { describe } from '../src/openapi/document.ts'
import { seedNames } from '../src/sandboxes/contract/schema.ts'
import { DESCRIBED_BASE, hostApi } from '../src/sandboxes/host-api/description.ts'
import { hostOperations } from '../src/sandboxes/host-api/operations.ts'
import { GENERATED } from './client-api.ts'
import { type Document, operationTexts } from './client-operations.ts'
import { TypeWriter } from './client-types.ts'

/** The parts of the rules of failures: what a client has read, it can send again. */
const ruleSchemas = ['FaultRule', 'FaultEffect', 'FaultCondition']

/** Returns the text of `src/client/sandbox-api.ts`: the types and the operations of a host of sandboxes. */
export function clientSandboxApi(): string {
  // Safe: `describe` makes an OpenAPI document, and these are its members.
  const document = describe(hostApi, { base: DESCRIBED_BASE }) as unknown as Document
  const { schemas } = document.components
  const types = new TypeWriter(schemas, {}, ruleSchemas)
  // A file is for a browser: the client reads JSON only.
  const operations = Object.entries<Operation>(hostOperations).filter(
    ([, { success }]) => !('file' in success),
  )
  const { declarations, entries } = operationTexts(Object.fromEntries(operations), document, types)
  return [
    GENERATED,
    "import type { ErrorCode, Int64Input } from './api-types.ts'",
    "import type { CallOptions } from './call.ts'",
    "import type { OperationShape } from './request.ts'",
    "import type { ApiResponse } from './response.ts'\n",
    '/** The seeds that every host has. */',
    `export type SeedName = ${seedNames.map(name => `'${name}'`).join(' | ')}\n`,
    types.declarations(['ErrorCode']),
    '/** The operations that create and control the sandboxes of a host, by operationId. */',
    'export interface HostOperations {',
    declarations,
    '}\n',
    '/** How each of these operations is sent. */',
    'export const hostOperations = {',
    entries,
    '} as const satisfies Record<keyof HostOperations, OperationShape>',
    '',
  ].join('\n')
}
