import { requiredScope } from '../../contract/operation.ts'
import type { Handler, RequestContext, Route } from '../../http/request/request-context.ts'
import { requestedFailure } from '../contract/refusals.ts'
import { type AppliedFault, codeOf, FAULT_HEADER, type Faults } from './faults.ts'

/** The number of bytes of an event stream that are sent if the effect `truncate` has no `bytes`. */
const STREAM_BYTES_DEFAULT = 100n
/** The longest time until the runtime closes the connection of a HEAD request that is dropped, in milliseconds. */
const CUT_MS_MAX = 5000

/**
 * Calls `wait`, and resolves when its promise resolves or when the sandbox is closed. Meanwhile, the request does not
 * keep its sandbox open.
 */
type Sleep = (wait: () => Promise<void>) => Promise<void>

interface FaultHandling {
  readonly faults: Faults
  /** Whether a request is one of the store itself, which no rule and no header applies to. */
  readonly isExact: (request: Request) => boolean
  /** Called first with every request except probes; may refuse it. */
  readonly enter: (context: RequestContext) => void
  readonly sleep: Sleep
}

/** Returns the handler of a sandbox, whose operation fails as the rules say. */
export function withFaults(handler: Handler, handling: FaultHandling): Handler {
  if (handler.isProbe) return handler
  return {
    ...handler,
    handle: context => {
      if (handling.isExact(context.request)) return handler.handle(context)
      handling.enter(context)
      return handler.route ? handleOrFail(handler, handler.route, handling, context) : handler.handle(context)
    },
  }
}

function handleOrFail(
  handler: Handler,
  { id, operation }: Route,
  { faults, sleep }: FaultHandling,
  context: RequestContext,
): Promise<Response> | Response {
  const { headers } = context.request
  if (faults.isEmpty && !headers.has(FAULT_HEADER)) return handler.handle(context)
  const fault = faults.forRequest({ operationId: id, headers })
  if (!fault) return handler.handle(context)
  context.headers[FAULT_HEADER] = fault.text
  return handleWithFault(handler, context, fault, { scope: requiredScope(operation) ?? 'admin', sleep })
}

/** Applies a failure and returns the response. The effect `error` throws; `rate_limit` throws beyond its limit. */
async function handleWithFault(
  handler: Handler,
  context: RequestContext,
  fault: AppliedFault,
  { scope, sleep }: { readonly scope: string; readonly sleep: Sleep },
): Promise<Response> {
  const { effect } = fault
  switch (effect.type) {
    case 'error': {
      throw requestedFailure(codeOf(effect), {
        scope,
        ...(codeOf(effect) === 'method_not_allowed' && { allow: context.request.method }),
        ...(effect.retryAfterSeconds !== undefined && {
          retryAfterSeconds: Number(effect.retryAfterSeconds),
        }),
      })
    }
    case 'delay':
      await wait(context, Number(effect.delayMs) + Math.random() * Number(effect.jitterMs ?? 0n), sleep)
      return handler.handle(context)
    case 'throttle':
      speeds.set(context.request, Number(effect.bytesPerSecond))
      return handler.handle(context)
    case 'rate_limit':
      return handleWithinLimit(handler, context, fault)
    case 'drop_before_command':
      return dropConnection(context, sleep)
    case 'drop_after_commit': {
      const response = await handler.handle(context)
      // Nobody reads the body. Until it is cancelled, it can hold a share of a limit.
      await response.body?.cancel()
      return dropConnection(context, sleep)
    }
    case 'truncate':
      return truncate(await handler.handle(context), effect.bytes)
    case 'cut_stream':
      return cutStream(await handler.handle(context), Number(effect.events ?? 1n))
    default:
      return handler.handle(context)
  }
}

/** Returns the response within the limit of a rule. Throws `rate_limited` beyond it. */
async function handleWithinLimit(
  handler: Handler,
  context: RequestContext,
  { limit, text }: AppliedFault,
): Promise<Response> {
  if (!limit) return handler.handle(context)
  const { limiter, onApplied } = limit
  const { field, refusal } = limiter.take('rule')
  const fields = { 'RateLimit-Policy': limiter.policy, RateLimit: field }
  if (refusal) {
    onApplied()
    Object.assign(context.headers, fields, { [FAULT_HEADER]: text })
    throw refusal
  }
  delete context.headers[FAULT_HEADER]
  const response = await handler.handle(context)
  // These fields replace the fields about the limit of the store.
  for (const [name, value] of Object.entries(fields)) response.headers.set(name, value)
  return response
}

/** Resolves after a delay, or when the client has gone. The request holds no slot meanwhile. */
async function wait({ request, slot }: RequestContext, delayMs: number, sleep: Sleep): Promise<void> {
  const delay = async (): Promise<void> => {
    const gone = Promise.withResolvers<void>()
    request.signal.addEventListener('abort', () => gone.resolve(), { once: true })
    await sleep(() => Promise.race([Bun.sleep(delayMs), gone.promise]))
  }
  await (slot ? slot.whileWaiting(delay) : delay())
}

/** The responses that end abruptly: after a part of the body, or before the first byte. */
const abruptEnds = new WeakMap<Response, 'cut' | 'dropped'>()

/** Returns whether reading the body of a response fails. */
export function isAbrupt(response: Response): boolean {
  return abruptEnds.has(response)
}

/** Returns whether the connection of a response is dropped, so that the client receives no status. */
export function isDropped(response: Response): boolean {
  return abruptEnds.get(response) === 'dropped'
}

/** Returns a response that resets the connection: the client receives nothing. */
async function dropConnection(
  { request, headers, closeConnection }: RequestContext,
  sleep: Sleep,
): Promise<Response> {
  if (request.method === 'HEAD') {
    // The runtime reads no body for HEAD, so an error of the body would not close the connection.
    closeConnection()
    await sleep(() => Bun.sleep(CUT_MS_MAX))
  }
  // The runtime prints any error value except undefined to standard error.
  const body = new ReadableStream<Uint8Array>({ start: controller => controller.error(undefined) })
  // No client receives these headers. The request log reads Petstore-Fault from them.
  const response = new Response(body, { headers })
  abruptEnds.set(response, 'dropped')
  return response
}

/**
 * Returns a response whose body ends early and abruptly, after `bytes` bytes. By default, it ends after half of the
 * body, or after 100 bytes of a stream.
 */
async function truncate(response: Response, bytes: bigint | undefined): Promise<Response> {
  if (!response.body) return response
  // A stream has no end, so it has no half.
  if (response.headers.get('content-type') === 'text/event-stream')
    return cutAfter(response, firstBytes(Number(bytes ?? STREAM_BYTES_DEFAULT)))
  const body = await response.bytes()
  const sent = Number(bytes ?? BigInt(Math.floor(body.length / 2)))
  return cutAfter(new Response(body, response), firstBytes(Math.min(sent, body.length)))
}

/** How often a part of a throttled body is sent, in milliseconds. */
const THROTTLE_MS = 50
/** The bytes per second of the responses to these requests. */
const speeds = new WeakMap<Request, number>()

/** Returns the response to a request with the speed that a rule gave it. The host calls it after its log. */
export function throttled(request: Request, response: Response): Response {
  const bytesPerSecond = speeds.get(request)
  const reader = bytesPerSecond === undefined ? undefined : response.body?.getReader()
  if (bytesPerSecond === undefined || !reader) return response
  const partBytes = Math.max(1, Math.floor((bytesPerSecond * THROTTLE_MS) / 1000))
  let left = new Uint8Array()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        if (left.length === 0) {
          const { value, done } = await reader.read()
          if (done) return controller.close()
          left = new Uint8Array(value)
        }
        const part = left.subarray(0, partBytes)
        left = left.subarray(part.length)
        await Bun.sleep((part.length * 1000) / bytesPerSecond)
        controller.enqueue(part)
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}

function cutStream(response: Response, events: number): Response {
  return response.body ? cutAfter(response, firstEvents(events)) : response
}

/** Returns the part of the next chunk to send, and whether it is the last one. */
type Take = (chunk: Uint8Array) => { readonly part: Uint8Array; readonly isLast: boolean }

function firstBytes(bytes: number): Take {
  let left = bytes
  return chunk => {
    const part = chunk.subarray(0, left)
    left -= part.length
    return { part, isLast: left === 0 }
  }
}

/** Blocks of a stream end with an empty line. A block without data, such as a keep-alive, is no event. */
const BLOCK_END = '\n\n'

function firstEvents(events: number): Take {
  let left = events
  return chunk => {
    const text = Buffer.from(chunk).toString('latin1')
    let end = 0
    while (left > 0) {
      const next = text.indexOf(BLOCK_END, end)
      if (next < 0) return { part: chunk, isLast: false }
      if (text.slice(end, next).includes('\ndata: ')) left--
      end = next + BLOCK_END.length
    }
    return { part: chunk.subarray(0, end), isLast: true }
  }
}

function cutAfter(response: Response, take: Take): Response {
  const reader = response.body?.getReader()
  let isCut = false
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        if (isCut) {
          // The runtime sends queued bytes at the end of a turn. Without the pause, the client would not receive them.
          await Bun.sleep(10)
          return controller.error(undefined)
        }
        const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
        if (done) return controller.close()
        const { part, isLast } = take(value)
        isCut = isLast
        if (isLast) await reader?.cancel()
        if (part.length > 0) controller.enqueue(part)
        else if (isLast) controller.error(undefined)
      },
      cancel: () => reader?.cancel(),
    },
    { highWaterMark: 0 },
  )
  const cut = new Response(body, response)
  abruptEnds.set(cut, 'cut')
  return cut
}
