import type { z } from 'zod'
import type { Operation } from '../src/contract/operation.ts'
import { type Part, schemaComponents, schemaPart } from '../src/openapi/schemas.ts'
import { controlOperations } from '../src/sandboxes/control/operations.ts'
import {
  CreatedSandbox,
  LoggedRequest,
  NewSandbox,
  Sandbox,
  Snapshot,
  seedNames,
} from '../src/sandboxes/control/schema.ts'
import { effectMembers, FaultRule, FaultRuleStates } from '../src/sandboxes/failures/rules.ts'
import { contract } from '../src/shop/operations.ts'
import { comment, type Schema, TypeWriter } from './client-types.ts'

/** The members of each kind of condition of a rule. The first member is required. */
const conditions = [['call'], ['every'], ['share', 'seed'], ['idempotencyKey'], ['header']] as const
/** The types of members that are more exact in the client than in the description. */
const exactTypes: Readonly<Record<string, string>> = {
  code: 'ErrorCode',
  operation: 'FaultOperation',
}

/** Returns the text of `src/client/sandbox-api.ts`: the types and the operations of a host of sandboxes. */
export function clientSandboxApi(): string {
  const resources = [NewSandbox, CreatedSandbox, Sandbox, Snapshot, LoggedRequest]
  // Safe: these are the schemas of an OpenAPI document.
  const schemas = schemaComponents(
    [...resources, FaultRule, FaultRuleStates].map(schemaPart),
  ) as unknown as Readonly<Record<string, Schema>>
  const types = new TypeWriter(schemas, {})
  types.named('NewSandbox', 'request')
  for (const resource of resources.slice(1)) types.named(String(resource.meta()?.id))
  const operations: [string, Operation][] = Object.entries(controlOperations)
  return [
    '// Generated from the contract by `npm run client`. Do not edit.\n',
    "import type { ErrorCode, Int64Input } from './api-types.ts'",
    "import type { Operations } from './operations.ts'",
    "import type { OperationShape } from './request.ts'\n",
    '/** The seeds that every host has. */',
    `export type SeedName = ${seedNames.map(name => `'${name}'`).join(' | ')}\n`,
    types.declarations(),
    ruleTypes(schemas, types),
    '/** How each operation that controls a sandbox is sent. */',
    'export const sandboxOperations = {',
    ...operations.map(([id, operation]) => entryText(id, operation)),
    '} as const satisfies Record<string, OperationShape>',
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

function entryText(id: string, { method, path, query, success, body }: Operation): string {
  const names = Object.keys(query ?? {})
  const members = [
    `method: '${method}'`,
    `path: '${path}'`,
    ...(names.length > 0 ? [`query: [${names.map(name => `'${name}'`).join(', ')}]`] : []),
    ...('list' in success ? ['list: true'] : []),
    ...(success.status === 204 ? ['empty: true'] : []),
    ...(hasFractions(body) ? ['hasFractions: true'] : []),
  ]
  return 'stream' in success ? '' : `  ${id}: { ${members.join(', ')} },`
}

/** Returns whether a body can have numbers that are not integers. */
function hasFractions(body: z.ZodType | undefined): boolean {
  if (!body) return false
  const part: Part = schemaPart(body)
  return JSON.stringify(schemaComponents([part])).includes('"type":"number"')
}
