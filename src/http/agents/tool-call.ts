import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { LIMIT_DEFAULT } from '../../shop/kernel/paging.ts'
import { mayHaveTakenEffect } from '../../values/effect.ts'
import { parseInt64 } from '../../values/int64.ts'
import { type JsonValue, parseJson, writeJson } from '../../values/json.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { makeInnerHandler } from '../router/routes.ts'
import { failed, lostResponse, nextOf, type ToolResult, toolResult } from './tool-result.ts'
import { IDEMPOTENCY_KEY, type Tool } from './tools.ts'

/** Runs a request that a tool makes for the client of the request that called the tool. */
export type RunInner = ReturnType<typeof makeInnerHandler>

/** The arguments of a tool call, from JSON. */
export type Arguments = Readonly<Record<string, JsonValue>>

/** The headers of the request that called the tool which its inner request also has. */
const PASSED_ON = ['authorization', 'traceparent', 'petstore-fault']

/** Runs a tool: the request of its operation, with the key of `outer`. A refusal is a result too. */
export async function callTool(
  tool: Tool,
  given: Arguments,
  outer: RequestContext,
  run: { readonly operation: RunInner; readonly names: RunInner },
): Promise<ToolResult> {
  const misfit = misfitIn(tool, given)
  if (misfit !== undefined) return failed(`validation_failed: ${misfit}`)
  const idempotencyKey = textOf(given[IDEMPOTENCY_KEY] ?? randomUUID())
  const page = await filledPage(given, async input => {
    const { request, match } = requestOf(tool, input, outer, idempotencyKey)
    const response = await run.operation(outer, request, match)
    // A fault rule of a sandbox can cut the connection.
    return { response, text: await response.text().catch(() => undefined) }
  })
  if (page.text === undefined || (tool.operation.method !== 'GET' && isOutcomeUnknown(page)))
    return lostResponse(tool, idempotencyKey)
  return toolResult(tool, page.response, page.text, petIds => petNames(petIds, outer, run.names))
}

/** A response and its body; undefined if it was lost. */
interface Answer {
  readonly response: Response
  readonly text: string | undefined
}

/** Returns whether the response to a change leaves open whether it took effect. */
function isOutcomeUnknown({ response: { status }, text = '' }: Answer): boolean {
  return mayHaveTakenEffect({ status, code: /"code":"(\w+)"/.exec(text)?.[1] ?? 'unknown' })
}

/** The maximum number of pages that one call reads. A search in a large catalogue can have many empty ones. */
const PAGES_MAX = 50

/**
 * Sends a request. A page of a list that is short although a next page follows is filled from the next pages, because a
 * model takes an empty list for the answer.
 */
async function filledPage(given: Arguments, send: (input: Arguments) => Promise<Answer>): Promise<Answer> {
  const limit = Number(given.limit ?? LIMIT_DEFAULT)
  let items: readonly JsonValue[] = []
  let page = await send(given)
  for (let pages = 1; ; pages++) {
    const { response, text } = page
    const body = response.ok && text ? parseJson(text) : undefined
    if (!Array.isArray(body)) return page
    items = [...items, ...body]
    const cursor = nextOf(response.headers)
    if (cursor === undefined || items.length >= limit || pages === PAGES_MAX)
      return { response, text: writeJson(items) }
    page = await send({ ...given, cursor, limit: BigInt(limit - items.length) })
  }
}

function requestOf(
  { operation, agent }: Tool,
  given: Arguments,
  { request: { headers, signal }, requestId }: RequestContext,
  idempotencyKey: string,
) {
  const { method, path: template, pathParameters = {}, body: schema, preview } = operation
  const parameters: Record<string, string> = {}
  for (const name of Object.keys(pathParameters)) parameters[name] = textOf(given[name])
  const others = Object.entries(given).filter(
    ([name]) => !Object.hasOwn(pathParameters, name) && name !== IDEMPOTENCY_KEY,
  )
  const isCommand = method !== 'GET'
  const fields = new Headers({
    'X-Request-Id': requestId,
    ...(schema && { 'Content-Type': 'application/json' }),
    ...(preview !== undefined && { 'Petstore-Preview': preview }),
    ...(isCommand && { 'Idempotency-Key': keyField(idempotencyKey) }),
  })
  for (const name of PASSED_ON) {
    const value = headers.get(name)
    if (value !== null) fields.set(name, value)
  }
  const query = new URLSearchParams(schema ? [] : queryOf(others, agent.sends))
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ''),
  )
  // The host is never read: the base address of the store is in its settings.
  const request = new Request(`http://petstore.invalid/?${query}`, {
    method,
    headers: fields,
    signal,
    ...(schema && { body: writeJson(bodyOf(schema, others)) }),
  })
  return { request, match: { path, template, parameters } }
}

/** Returns what is wrong with an argument that has no form in a URL or a header; undefined if all have one. */
function misfitIn({ operation: { body, pathParameters = {} } }: Tool, given: Arguments): string | undefined {
  for (const [name, value] of Object.entries(given)) {
    if (body && name !== IDEMPOTENCY_KEY && !Object.hasOwn(pathParameters, name)) continue
    if (Array.isArray(value) && value.length === 0) return `${name} must have at least one value.`
    const isNested = (one: JsonValue): boolean => typeof one === 'object' && one !== null
    if ([value].flat().some(isNested)) return `${name} must be a text or a number, or a list of these.`
  }
  return undefined
}

/** Returns a key as a string of RFC 9651: an empty one, which the store refuses, if no header can contain the key. */
function keyField(key: string): string {
  return /^[\x20-\x7e]*$/.test(key) ? `"${key.replaceAll(/["\\]/g, '\\$&')}"` : '""'
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'object' && value !== null ? writeJson(value) : String(value ?? '')
}

/** Returns the pairs of a query: each value of a list is a pair, and null means absent. */
function queryOf(
  given: readonly (readonly [string, JsonValue])[],
  sends: Readonly<Record<string, string>> = {},
): [string, string][] {
  const pairs = given.flatMap(([name, value]) =>
    [value].flat().map((one): [string, JsonValue] => [name, one]),
  )
  const known = pairs.filter(([name, value]) => value !== null && !Object.hasOwn(sends, name))
  return [...known.map(([name, value]): [string, string] => [name, textOf(value)]), ...Object.entries(sends)]
}

/** Returns the body: an integer that an agent sends as a text, as ids are, becomes the integer of the contract. */
function bodyOf(schema: z.ZodType, given: readonly (readonly [string, JsonValue])[]): object {
  const shape = schema instanceof z.ZodObject ? schema.shape : {}
  return Object.fromEntries(
    given.map(([name, value]) => [
      name,
      typeof value === 'string' && isInteger(shape[name]) ? (parseInt64(value) ?? value) : value,
    ]),
  )
}

/** Returns whether a member of a body is an integer and no text. */
function isInteger(member: unknown): boolean {
  return member instanceof z.ZodType && member.safeParse(1n).success && !member.safeParse('1').success
}

const NamedPets = z.array(z.object({ id: z.bigint(), name: z.string() }))

/** The maximum number of ids in one request for pets. */
const NAMES_MAX = 100

/**
 * Returns the names of pets by id, without those that do not exist. An agent would otherwise need another call for each
 * result with a petId. Pets are public, so every caller may read them; if the read fails, the result has no names.
 */
async function petNames(
  petIds: readonly string[],
  outer: RequestContext,
  run: RunInner,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(petIds)].slice(0, NAMES_MAX)
  if (ids.length === 0) return new Map()
  const query = new URLSearchParams(ids.map((id): [string, string] => ['id', id]))
  const request = new Request(`http://petstore.invalid/?${query}`, {
    headers: { 'X-Request-Id': outer.requestId },
  })
  const response = await run(outer, request, { path: '/pets', template: '/pets', parameters: {} })
  const { data } = NamedPets.safeParse(response.ok ? parseJson(await response.text()) : [])
  return new Map(data?.map(({ id, name }) => [String(id), name]))
}
