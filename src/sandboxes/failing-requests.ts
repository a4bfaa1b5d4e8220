import type { RequestContext, Route } from '../api/request-context.ts'
import type { Handler, Methods, Paths } from '../api/routes.ts'
import { requiredScope } from '../contract/operation.ts'
import { type AppliedFault, codeOf, FAULT_HEADER, type Faults } from './faults.ts'
import { requestedFailure } from './refusals.ts'

/** The longest time until the runtime closes the connection of a HEAD request that is dropped, in milliseconds. */
const CUT_MS_MAX = 5000

/**
 * Returns the handlers of a sandbox: `enter` is called first with every request, and may refuse it; the operations fail
 * as the rules say.
 */
export function withFaults(paths: Paths, faults: Faults, enter: (context: RequestContext) => void): Paths {
  const wrap = (handler: Handler): Handler => ({
    ...handler,
    handle: context => {
      enter(context)
      return handler.route
        ? handleWithFaults(handler, handler.route, faults, context)
        : handler.handle(context)
    },
  })
  return new Map(
    [...paths].map(([path, methods]): [string, Methods] => [
      path,
      new Map([...methods].map(([method, handler]) => [method, handler.isProbe ? handler : wrap(handler)])),
    ]),
  )
}

function handleWithFaults(
  handler: Handler,
  { id, operation }: Route,
  faults: Faults,
  context: RequestContext,
): Promise<Response> | Response {
  const { headers } = context.request
  if (faults.isEmpty && !headers.has(FAULT_HEADER)) return handler.handle(context)
  const fault = faults.forRequest({ operationId: id, headers })
  if (!fault) return handler.handle(context)
  context.headers[FAULT_HEADER] = fault.text
  return fail(handler, context, fault, requiredScope(operation) ?? 'admin')
}

/** Returns the response of a request that a failure applies to. Throws the error of the effect `error`. */
async function fail(
  handler: Handler,
  context: RequestContext,
  fault: AppliedFault,
  scope: string,
): Promise<Response> {
  const { effect, limiter } = fault
  switch (effect.type) {
    case 'error': {
      throw requestedFailure(codeOf(effect), {
        scope,
        allow: context.request.method,
        ...(effect.retryAfterSeconds !== undefined && {
          retryAfterSeconds: Number(effect.retryAfterSeconds),
        }),
      })
    }
    case 'delay':
      await wait(context, Number(effect.delayMs))
      return handler.handle(context)
    case 'rate_limit': {
      const taken = limiter?.take('rule')
      if (limiter) context.headers['RateLimit-Policy'] = limiter.policy
      if (taken) context.headers.RateLimit = taken.field
      if (taken?.refusal) throw taken.refusal
      delete context.headers[FAULT_HEADER]
      return handler.handle(context)
    }
    case 'drop_before_command':
      return dropped(context)
    case 'drop_after_commit':
      await handler.handle(context)
      return dropped(context)
    case 'truncate':
      return truncated(await handler.handle(context), effect.bytes)
    case 'cut_stream':
      return cutStream(await handler.handle(context), Number(effect.events ?? 1n))
    default:
      return handler.handle(context)
  }
}

/** Resolves after a delay, or when the client has gone. The request holds no slot meanwhile. */
async function wait({ request, slot }: RequestContext, ms: number): Promise<void> {
  const delay = async (): Promise<void> => {
    const gone = Promise.withResolvers<void>()
    request.signal.addEventListener('abort', () => gone.resolve(), { once: true })
    await Promise.race([Bun.sleep(ms), gone.promise])
  }
  await (slot ? slot.whileWaiting(delay) : delay())
}

/** The responses that end abruptly, and of these, those whose connection is dropped before the first byte. */
const abruptResponses = new WeakSet<Response>()
const droppedResponses = new WeakSet<Response>()

/** Returns whether reading the body of a response fails. */
export function isAbrupt(response: Response): boolean {
  return abruptResponses.has(response)
}

/** Returns whether the connection of a response is dropped, so that the client receives no status. */
export function isDropped(response: Response): boolean {
  return droppedResponses.has(response)
}

function abruptly(body: ReadableStream<Uint8Array>, init: ResponseInit): Response {
  const response = new Response(body, init)
  abruptResponses.add(response)
  return response
}

/** Returns a response that resets the connection: the client receives nothing. */
async function dropped({ request, headers, cut }: RequestContext): Promise<Response> {
  if (request.method === 'HEAD') {
    // The runtime reads no body for HEAD, so its error would not close the connection.
    cut()
    await Bun.sleep(CUT_MS_MAX)
  }
  // The runtime reports any other value on the error output.
  const body = new ReadableStream<Uint8Array>({ start: controller => controller.error(undefined) })
  // The fields are only for the log.
  const response = abruptly(body, { headers })
  droppedResponses.add(response)
  return response
}

/** Returns a response whose body ends early and abruptly: after `bytes`, or by default after half of it. */
async function truncated(response: Response, bytes: bigint | undefined): Promise<Response> {
  const body = await response.bytes()
  const length = Math.min(Number(bytes ?? BigInt(Math.floor(body.length / 2))), body.length)
  let step = 0
  const cut = new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        step++
        if (step === 1 && length > 0) return controller.enqueue(body.subarray(0, length))
        // The runtime sends what it has at the end of a turn. Without the pause, the client would receive nothing.
        await Bun.sleep(10)
        controller.error(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return abruptly(cut, response)
}

/** Returns an event stream that ends abruptly after a number of events. */
function cutStream(response: Response, events: number): Response {
  if (!response.body) return response
  const reader = response.body.getReader()
  let left = events
  const cut = new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        const { value, done } = await reader.read()
        if (done) return controller.close()
        left -= countEvents(value)
        controller.enqueue(value)
        if (left > 0) return
        await Bun.sleep(10)
        await reader.cancel()
        controller.error(undefined)
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  )
  return abruptly(cut, response)
}

function countEvents(chunk: Uint8Array): number {
  return Buffer.from(chunk).toString('latin1').split('\ndata: ').length - 1
}
