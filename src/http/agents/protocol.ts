import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { StoreError } from '../../contract/error.ts'
import { readJson } from '../../contract/json-body.ts'
import { version } from '../../files/version.ts'
import type { JsonValue } from '../../values/json.ts'
import { isAuthorized } from '../pipeline/auth.ts'
import type { RequestContext } from '../request/request-context.ts'
import { errorResponse } from './error-response.ts'
import { type Arguments, callTool, type RunInner } from './tool-call.ts'
import type { Tool } from './tools.ts'

const INSTRUCTIONS =
  'The tools run a pet shop. Ids are texts: find the pet first, and pass its id on. A list says with `next` that ' +
  'there is more: pass it as `cursor`. The units of a pet that can be ordered are quantity minus reserved.'

interface AgentRequest {
  readonly context: RequestContext
  readonly tools: readonly Tool[]
  readonly run: { readonly operation: RunInner; readonly names: RunInner }
}

/** Returns the response to one message. Rejects if a tool fails, which is no refusal. */
export async function respondToMessage(agentRequest: AgentRequest, body: Uint8Array): Promise<Response> {
  const { request } = agentRequest.context
  const message = readMessage(body)
  if (typeof message === 'string') return errorResponse(400, ProtocolErrorCode.ParseError, message)
  // Revision 2025-06-18 removed batches. One would run many calls as one request.
  if (Array.isArray(message))
    return errorResponse(400, ProtocolErrorCode.InvalidRequest, 'Send one message at a time, not a batch.')
  const failure: { error?: unknown } = {}
  const response = await handleMessage(() => makeServer(agentRequest, failure), request, message)
  if ('error' in failure) throw failure.error
  return response
}

async function handleMessage(
  makeOne: () => Server,
  { url, method, headers, signal }: Request,
  parsedBody: unknown,
): Promise<Response> {
  const accepting = new Headers(headers)
  // Revisions before 2026-07-28 require that a client accepts a stream, but every response here is JSON.
  accepting.set('Accept', 'application/json, text/event-stream')
  const request = new Request(url, { method, headers: accepting, signal })
  if (!(await isLegacyRequest(request, parsedBody))) {
    // Without subscriptions, because the tools of a store never change.
    return createMcpHandler(makeOne, { legacy: 'reject', maxSubscriptions: 0 }).fetch(request, { parsedBody })
  }
  const server = makeOne()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const response = await transport.handleRequest(request, { parsedBody })
  await server.close()
  return response
}

/** Returns the server of one message: nothing is kept between two messages. */
function makeServer({ context, tools, run }: AgentRequest, failure: { error?: unknown }): Server {
  const server = new Server(
    { name: 'petstore', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  const { caller } = context
  server.setRequestHandler('tools/list', () => ({
    tools: tools
      .filter(({ operation }) => caller && isAuthorized(operation, caller))
      .map(({ definition }) => definition),
  }))
  server.setRequestHandler('tools/call', async ({ params }): Promise<CallToolResult> => {
    const tool = tools.find(({ agent }) => agent.name === params.name)
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(params.name, tools))
    try {
      // Safe: `readMessage` made the arguments from JSON.
      return await callTool(tool, (params.arguments ?? {}) as Arguments, context, run)
    } catch (error) {
      failure.error = error
      throw error
    }
  })
  return server
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map(tool => tool.agent.name).join(', ')
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}. The tools are ${names}.`
}

/** Returns a message as the package expects it, or what is wrong with its text. */
function readMessage(body: Uint8Array): object | string {
  let value: JsonValue
  try {
    value = readJson(body)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return error.message
  }
  // A client finds its response by the id, which must be the same, and the package rounds a larger one.
  if (typeof value === 'object' && value !== null && 'id' in value && !isExactId(value.id))
    return 'The id of a message must be a text, or an integer of at most 2^53 - 1.'
  const message = withoutBigints(value)
  return typeof message === 'object' && message !== null ? message : 'The message must be a JSON object.'
}

function isExactId(id: JsonValue | undefined): boolean {
  return typeof id !== 'bigint' || Number.isSafeInteger(Number(id))
}

/** Returns JSON whose integers are numbers, or texts if a number would be rounded or is too large for any number. */
function withoutBigints(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (Array.isArray(value)) return value.map(withoutBigints)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBigints(member)]))
}
