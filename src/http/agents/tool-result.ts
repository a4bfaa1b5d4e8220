import { ErrorBody } from '../../contract/error-schema.ts'
import { type JsonValue, parseJson } from '../../values/json.ts'
import { isIdName, type Tool } from './tools.ts'

/** A value as an agent gets it: every id is a text, and no number is rounded. */
type Shown = null | boolean | string | number | Shown[] | { [member: string]: Shown }

/** The result of a tool call. Its text repeats the content, because some clients show only the text to their model. */
export interface ToolResult {
  readonly content: { type: 'text'; text: string }[]
  readonly structuredContent?: { [member: string]: Shown }
  readonly isError?: true
  /** The protocol lets a result have other members. */
  readonly [member: string]: unknown
}

/** Returns the names of pets by id. */
type FindNames = (petIds: readonly string[]) => Promise<ReadonlyMap<string, string>>

/** Returns the result of a tool call from the response to the request of its operation. `text` is the body. */
export async function toolResult(
  tool: Tool,
  { ok, headers, status }: Response,
  text: string,
  findNames: FindNames,
): Promise<ToolResult> {
  const { success } = tool.operation
  if (!ok) return refusal(text, status, headers)
  const body = text === '' ? { done: success.description } : parseJson(text)
  const names = await findNames(petIdsIn(body))
  const omits = new Set(tool.agent.omits)
  const known = shown(body, '', names, omits)
  const next = nextOf(headers)
  const content = Array.isArray(known)
    ? { items: known, ...(next !== undefined && { next }) }
    : typeof known === 'object' && known !== null
      ? known
      : { value: known }
  return { content: [{ type: 'text', text: JSON.stringify(content) }], structuredContent: content }
}

/** Returns the result of a call whose response was lost. */
export function lostResponse({ operation, agent }: Tool, idempotencyKey: string): ToolResult {
  return failed(
    operation.method === 'GET'
      ? `The response of the store was lost. Call ${agent.name} again.`
      : `The response of the store was lost, so it is unknown whether the change was made. Call ${agent.name} again ` +
          `with the same arguments and idempotencyKey "${idempotencyKey}": the change is then made once.`,
  )
}

function refusal(text: string, status: number, headers: Headers): ToolResult {
  const { data } = ErrorBody.safeParse(parseJson(text))
  if (!data) return failed(`The store responded with ${status}.`)
  const { code, message, errors = [] } = data
  const seconds = headers.get('retry-after')
  const lines = [
    `${code}: ${message}`,
    ...errors.slice(QUOTED_BY_MESSAGE).map(error => `- ${error.message}`),
    ...(seconds === null ? [] : [`Nothing was changed. Try again in ${seconds} s.`]),
  ]
  return failed(lines.join('\n'))
}

/** The message of an error quotes this number of its field errors. */
const QUOTED_BY_MESSAGE = 3

export function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function petIdsIn(value: JsonValue): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(petIdsIn)
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'petId' ? [String(member)] : petIdsIn(member),
  )
}

function shown(
  value: JsonValue,
  name: string,
  names: ReadonlyMap<string, string>,
  omits: ReadonlySet<string>,
): Shown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return isIdName(name) || !Number.isSafeInteger(number) ? String(value) : number
  }
  if (Array.isArray(value)) return value.map(item => shown(item, name, names, omits))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([member]) => !omits.has(member))
  return Object.fromEntries(
    members.flatMap(([member, one]): [string, Shown][] => {
      const petName = member === 'petId' ? names.get(String(one)) : undefined
      return [
        [member, shown(one, member, names, omits)],
        ...(petName === undefined ? [] : [['petName', petName] satisfies [string, string]]),
      ]
    }),
  )
}

/** Returns where the next page begins, from the Link header of a list. */
export function nextOf(headers: Headers): string | undefined {
  return /[?&]cursor=([^&>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
}
