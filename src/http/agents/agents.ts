import type { Operation } from '../../contract/operation.ts'
import { prepareOnce } from '../pages/content.ts'
import { authenticate } from '../pipeline/auth.ts'
import { receiveBody, refuseBodyByHeaders } from '../pipeline/body.ts'
import { enforceRateLimit, type Pipeline } from '../pipeline/pipeline.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { AllowedOrigins } from '../router/cors.ts'
import { type Methods, makeInnerHandler, operationPaths, type RoutesOptions } from '../router/routes.ts'
import { errorResponse, REFUSED } from './error-response.ts'
import type { RunInner } from './tool-call.ts'

interface AgentsOptions {
  readonly pipeline: Pipeline
  readonly serves: (operation: Operation) => boolean
  /** Serves the store, whose paths this function cannot know yet. */
  readonly routing: Omit<RoutesOptions, 'paths'>
  readonly wrapHandler: RoutesOptions['wrapHandler']
  /** Returns what runs the request of a tool in place of its argument. */
  readonly wrapTools: ((run: RunInner) => RunInner) | undefined
}

/**
 * Returns the methods of `/mcp`: streamable HTTP without sessions (Model Context Protocol). One POST is one message,
 * and its response is JSON. The package of the protocol is loaded for the first message.
 */
export function agentMethods(options: AgentsOptions): Methods {
  const prepared = prepareOnce(() => prepare(options))
  const handle = async (context: RequestContext): Promise<Response> => {
    const { pipeline, routing } = options
    const { request, headers } = context
    context.caller = await authenticate(context, pipeline.callers, pipeline.failedAuthentications)
    enforceRateLimit(pipeline, context)
    const origin = request.headers.get('origin')
    if (origin !== null && !isAllowed(origin, pipeline.base, routing.allowedOrigins))
      return withHeaders(foreignOrigin(origin), headers)
    refuseBodyByHeaders(request)
    const body = await receiveBody(context)
    const { respondToMessage, ...agents } = await prepared()
    return withHeaders(await respondToMessage({ context, ...agents }, body), headers)
  }
  return new Map([['POST', { isCounting: true, handle }]])
}

async function prepare({ pipeline, serves, routing, wrapHandler, wrapTools = run => run }: AgentsOptions) {
  const [{ respondToMessage }, { toolsOf }] = await Promise.all([
    import('./protocol.ts'),
    import('./tools.ts'),
  ])
  // The message that calls a tool has been counted.
  const paths = operationPaths({ ...pipeline, rateLimiter: undefined }, serves, undefined)
  return {
    respondToMessage,
    tools: toolsOf(serves),
    run: {
      operation: wrapTools(makeInnerHandler({ ...routing, paths, wrapHandler })),
      // No rule of a sandbox is for these reads, of which its user does not know.
      names: makeInnerHandler({ ...routing, paths }),
    },
  }
}

/** The protocol requires this check: a page whose host name leads to this machine must not reach the store. */
function isAllowed(origin: string, base: string, allowedOrigins: AllowedOrigins): boolean {
  return origin === new URL(base).origin || allowedOrigins.includes('*') || allowedOrigins.includes(origin)
}

function foreignOrigin(origin: string): Response {
  const message = `Pages of ${origin.slice(0, 200)} may not call this store (PETSTORE_CORS_ORIGINS).`
  return errorResponse(403, REFUSED, message)
}

function withHeaders({ status, body, headers }: Response, more: Readonly<Record<string, string>>): Response {
  const type = headers.get('content-type')
  return new Response(body, {
    status,
    headers: { ...more, ...(type !== null && { 'Content-Type': type }), 'Cache-Control': 'no-store' },
  })
}
