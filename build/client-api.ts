import { errorTable } from '../src/contract/error.ts'
import { describe } from '../src/openapi/document.ts'
import { storeApi } from '../src/openapi/store-api.ts'
import { contract } from '../src/shop/registry/operations.ts'
import { type Document, operationTexts } from './client-operations.ts'
import { TypeWriter } from './client-types.ts'

/**
 * Members that the specification leaves optional but the store always sends. A test checks the responses of every
 * operation against this table.
 */
export const ALWAYS_SENT: Readonly<Record<string, readonly string[]>> = {
  Order: ['id', 'petId', 'quantity', 'complete'],
  Pet: ['status'],
}

export const GENERATED = '// Generated from the contract by `npm run client`. Do not edit.\n'

/** The texts of the two generated files of the client of a store. */
export interface ClientApi {
  /** The text of `src/client/api-types.ts`. */
  readonly types: string
  /** The text of `src/client/operations.ts`. */
  readonly operations: string
}

/** Returns the types and the operations of the client, generated from the contract. */
export function clientApi(): ClientApi {
  // Safe: `describe` makes an OpenAPI document, and these are its members.
  const document = describe(storeApi, { base: 'http://127.0.0.1:8080' }) as unknown as Document
  const types = new TypeWriter(document.components.schemas, ALWAYS_SENT)
  // No operation returns this schema, but the details of an error have it.
  types.named('FieldError')
  const { declarations, entries, uses } = operationTexts(contract, document, types)
  const names = [...types.names(), 'Int64Input'].sort()
  return {
    types: [
      GENERATED,
      '/** A 64-bit integer of a request. A `number` must be a safe integer: above 2^53 - 1, use a `bigint`. */',
      'export type Int64Input = bigint | number',
      '',
      '/** The codes of the error catalogue. */',
      `export type ErrorCode =\n${union(Object.keys(errorTable))}`,
      '',
      types.declarations(),
    ].join('\n'),
    operations: [
      GENERATED,
      `import type { ${names.filter(uses).join(', ')} } from './api-types.ts'`,
      "import type { CallOptions, NoOptions, Read } from './call.ts'",
      "import type { PagedList } from './paged-list.ts'",
      "import type { OperationShape } from './request.ts'",
      "import type { ApiResponse } from './response.ts'",
      '',
      '/** The operations of a store, by operationId. */',
      'export interface Operations {',
      declarations,
      '}',
      '',
      '/** How each operation is sent. */',
      'export const operations = {',
      entries,
      '} as const satisfies Record<keyof Operations, OperationShape>',
      '',
    ].join('\n'),
  }
}

function union(names: readonly string[]): string {
  return names.map(name => `  | '${name}'`).join('\n')
}
