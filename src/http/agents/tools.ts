import { z } from 'zod'
import type { AgentTool, Operation } from '../../contract/operation.ts'
import { isRepeated } from '../../contract/parameter.ts'
import { contract, operationIds } from '../../shop/registry/operations.ts'
import type { Route } from '../request/request-context.ts'

/** A part of a JSON Schema. */
type SchemaPart = Readonly<Record<string, unknown>>

/** A tool as `tools/list` shows it. */
interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: SchemaPart & { readonly type: 'object' }
  readonly title: string
  readonly annotations: {
    readonly readOnlyHint?: true
    readonly destructiveHint?: boolean
    /** The store is all that a tool acts on. */
    readonly openWorldHint: false
  }
}

export interface Tool extends Route {
  readonly agent: AgentTool
  readonly definition: ToolDefinition
}

/** The input with which an agent names one effect of a command. */
export const IDEMPOTENCY_KEY = 'idempotencyKey'

/** Returns whether a parameter or member is an id. Ids are texts for agents, because many clients round numbers. */
export function isIdName(name: string): boolean {
  return name === 'id' || name.endsWith('Id')
}

/** Returns the tools of a store that serves these operations, in the order of the operations. */
export function toolsOf(serves: (operation: Operation) => boolean): Tool[] {
  return operationIds.flatMap(id => {
    const operation: Operation = contract[id]
    const { agent } = operation
    return agent && serves(operation) ? [{ id, operation, agent, definition: define(operation, agent) }] : []
  })
}

function define(operation: Operation, { name, about, takes }: AgentTool): ToolDefinition {
  const isRead = operation.method === 'GET'
  const closed = { openWorldHint: false } as const
  const properties: Record<string, SchemaPart> = {}
  const required: string[] = []
  for (const [input, description] of Object.entries(takes)) {
    const found = inputOf(operation, input)
    properties[input] = { ...found.schema, ...(description !== true && { description }) }
    if (found.isRequired) required.push(input)
  }
  if (!isRead) {
    const description = 'Names this change: a repeated call with the same key changes nothing again.'
    properties[IDEMPOTENCY_KEY] = { type: 'string', description }
  }
  return {
    name,
    description: about,
    title: operation.summary,
    inputSchema: {
      type: 'object',
      properties,
      additionalProperties: false,
      ...(required.length > 0 && { required }),
    },
    annotations: isRead
      ? { readOnlyHint: true, ...closed }
      : { destructiveHint: !isAddition(operation), ...closed },
  }
}

/** Returns whether a command only adds a resource. Clients ask their user before any other change. */
function isAddition({ location }: Operation): boolean {
  return location !== undefined
}

interface InputOfTool {
  readonly schema: SchemaPart
  readonly isRequired: boolean
}

/** Returns a path parameter, query parameter or member of the body by its name. */
function inputOf({ pathParameters = {}, query = {}, body }: Operation, name: string): InputOfTool {
  const parameter = pathParameters[name] ?? query[name]
  if (parameter) {
    const { description: _, ...one } = shortSchema(name, parameter.schema)
    const { description } = parameter
    const schema = isRepeated(parameter)
      ? { type: 'array', items: one, description }
      : { ...one, description }
    return { schema, isRequired: name in pathParameters || parameter.required === true }
  }
  const member: unknown = body instanceof z.ZodObject ? body.shape[name] : undefined
  if (!(member instanceof z.ZodType)) throw new Error(`the operation has no input ${name}`)
  return { schema: shortSchema(name, member), isRequired: !member.safeParse(undefined).success }
}

/** The keywords that a model uses. The store checks the others, and says what is wrong. */
const KEYWORDS = ['type', 'enum', 'format', 'default', 'minimum', 'description']

interface Overridden {
  readonly zodSchema: z.core.$ZodType
  readonly jsonSchema: z.core.JSONSchema.BaseSchema
}

function shortSchema(name: string, schema: z.ZodType): SchemaPart {
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: asInteger })
  const { $ref = '', $defs, anyOf } = whole
  const part = $defs?.[$ref.replace('#/$defs/', '')] ?? anyOf?.[0] ?? whole
  const entries = Object.entries(part).filter(([keyword]) => KEYWORDS.includes(keyword))
  const short = Object.fromEntries(entries.filter(([, value]) => value !== 'int64' && value !== 'int32'))
  return isIdName(name) ? { ...short, type: 'string' } : short
}

function asInteger({ zodSchema, jsonSchema }: Overridden): void {
  if (zodSchema._zod.def.type === 'bigint') jsonSchema.type ??= 'integer'
}
