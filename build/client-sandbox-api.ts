import type { Operation } from '../src/contract/operation.ts'
import { describe } from '../src/openapi/document.ts'
import { effectMembers } from '../src/sandboxes/failures/rules.ts'
import { DESCRIBED_BASE, hostApi } from '../src/sandboxes/host-api/description.ts'
import { hostOperations } from '../src/sandboxes/host-api/operations.ts'
import { seedNames } from '../src/sandboxes/host-api/schema.ts'
import { contract } from '../src/shop/operations.ts'
import { GENERATED } from './client-api.ts'
import { type Document, operationTexts } from './client-operations.ts'
import { comment, type Schema, TypeWriter } from './client-types.ts'

/** The members of each kind of condition of a rule. The first member is required. */
const conditions = [['call'], ['every'], ['share', 'seed'], ['idempotencyKey'], ['header']] as const
/** The types of members that are more exact in the client than in the description. */
const exactTypes: Readonly<Record<string, string>> = {
  code: 'ErrorCode',
  operation: 'FaultOperation',
}

/** The schemas of fault rules, whose types are written by `ruleTypes`. */
const ruleSchemas = ['FaultRule', 'FaultRuleState', 'FaultEffect', 'FaultCondition']

/** Returns the text of `src/client/sandbox-api.ts`: the types and the operations of a host of sandboxes. */
export function clientSandboxApi(): string {
  // Safe: `describe` makes an OpenAPI document, and these are its members.
  const document = describe(hostApi, { base: DESCRIBED_BASE }) as unknown as Document
  const { schemas } = document.components
  const types = new TypeWriter(schemas, {}, ruleSchemas)
  const { declarations, entries } = operationTexts(hostOperations, document, types)
  return [
    GENERATED,
    "import type { ErrorCode, Int64Input } from './api-types.ts'",
    "import type { CallOptions } from './call.ts'",
    "import type { Operations } from './operations.ts'",
    "import type { OperationShape } from './request.ts'",
    "import type { ApiResponse } from './response.ts'\n",
    '/** The seeds that every host has. */',
    `export type SeedName = ${seedNames.map(name => `'${name}'`).join(' | ')}\n`,
    types.declarations(),
    ruleTypes(schemas, types),
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

/** Returns the types of the fault rules: one type for each effect and each condition, with exactly its members. */
function ruleTypes(schemas: Readonly<Record<string, Schema>>, types: TypeWriter): string {
  const textOf = (owner: string, name: string, isRequired: boolean): string => {
    const schema = schemas[owner]?.properties?.[name] ?? {}
    const type = exactTypes[name] ?? types.type(schema, 'request', '  ')
    const member = isRequired ? `${name}: ${type}` : `${name}?: ${type} | undefined`
    return `${comment(schema.description ?? '', '  ')}\n  ${member}`
  }
  const effectTypes = Object.entries(effectMembers).map(([type, members]) => {
    const lines = Object.entries(members).map(([name, need]) =>
      textOf('FaultEffect', name, need === 'required'),
    )
    return `  | { type: '${type}'\n${lines.join('\n')} }`
  })
  const conditionTypes = conditions.map(names => {
    const lines = names.map((name, index) => textOf('FaultCondition', name, index === 0))
    return `  | {\n${lines.join('\n')} }`
  })
  const streams = Object.entries<Operation>(contract).flatMap(([id, { success, hidden }]) =>
    'stream' in success && !hidden ? [` | '${id}'`] : [],
  )
  const descriptionOf = (name: string, owner = schemas[name]): string => comment(owner?.description ?? '', '')
  return [
    '/** The operations to which a rule can apply. */',
    `export type FaultOperation = keyof Operations${streams.join('')}\n`,
    comment(schemas.FaultEffect?.properties?.type?.description ?? '', ''),
    `export type FaultEffect =\n${effectTypes.join('\n')}\n`,
    descriptionOf('FaultCondition'),
    `export type FaultCondition =\n${conditionTypes.join('\n')}\n`,
    descriptionOf('FaultRule'),
    `export interface FaultRule {\n${textOf('FaultRule', 'name', true)}\n${textOf('FaultRule', 'operation', false)}`,
    '  /** The condition; without one, the rule always applies. */',
    '  when?: FaultCondition | undefined\n  /** What the rule does. */\n  effect: FaultEffect\n}\n',
    '/** A rule, and how often it was checked and applied. */',
    'export interface FaultRuleState extends FaultRule {',
    '  /** The number of calls for which the rule was checked since the rules were set. */\n  calls: bigint',
    '  /** How often the rule was applied. */\n  applied: bigint\n}\n',
  ].join('\n')
}
