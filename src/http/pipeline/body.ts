import { peek } from 'bun'
import { StoreError } from '../../contract/error.ts'
import { BODY_BYTES_MAX, BODY_TIMEOUT_MS, MERGE_PATCH } from '../../contract/limits.ts'
import {
  bodyTooLarge,
  incompleteRequest,
  requestTimeout,
  unsupportedMediaType,
} from '../../contract/refusals.ts'
import { Deadlines } from '../limits/deadlines.ts'
import { callerName, type RequestContext } from '../request/request-context.ts'

/** Throws `unsupported_media_type` or `body_too_large` if the headers of a request show that its body is refused. */
export function refuseBodyByHeaders({ method, headers }: Request): void {
  const field = headers.get('content-type') ?? ''
  const encoding = headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  // Most clients send exactly this. Only other values are parsed.
  const isPlain = field === 'application/json' && encoding === 'identity'
  if (!isPlain && !isReadable(method, field, encoding)) throw unsupportedMediaType(method)
  if (Number(headers.get('content-length') ?? 0) > BODY_BYTES_MAX) throw bodyTooLarge()
}

function isReadable(method: string, field: string, encoding: string): boolean {
  const [type = '', ...parameters] = field.split(';').map(part => part.trim().toLowerCase())
  const readable = type === 'application/json' || (method === 'PATCH' && type === MERGE_PATCH)
  const utf8 = parameters.every(
    parameter => !parameter.startsWith('charset=') || /^charset="?utf-8"?$/.test(parameter),
  )
  return readable && utf8 && encoding === 'identity'
}

/** A body of at most this size usually arrives together with the headers of its request. */
const SMALL_BODY_BYTES = 16 * 1024

/**
 * Returns the complete body of a request, at least one turn of the event loop after the body has become complete. While
 * a large or late body arrives, the request holds no slot. Throws `overloaded` if too many bodies are arriving,
 * `body_too_large`, `request_timeout`, or `malformed_json` if the body is cut off.
 */
export async function receiveBody(context: RequestContext): Promise<Uint8Array> {
  const { request } = context
  const bytesMax = expectedBytes(request)
  if (bytesMax > SMALL_BODY_BYTES) return waitForBody(context, bytesMax, () => startBody(request))
  // If the body is complete in the next turn, it needs neither a deadline nor a share of a capacity.
  const body = startBody(request)
  await nextTurn()
  const bytes = peek(body)
  return bytes instanceof Uint8Array ? bytes : waitForBody(context, bytesMax, () => body)
}

/** Returns the maximum size of a body, in bytes, according to its headers. */
function expectedBytes({ headers }: Request): number {
  return Number(headers.get('content-length') ?? BODY_BYTES_MAX)
}

function startBody(request: Request): Promise<Uint8Array> {
  // The runtime enforces Content-Length. Without this header (chunked), the bytes are counted as they arrive.
  const body = request.headers.has('content-length') ? request.bytes() : readChunks(request)
  // The body may fail before the caller waits for it.
  body.catch(() => {})
  return body
}

async function waitForBody(
  context: RequestContext,
  bytesMax: number,
  start: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const { slot } = context
  const withinTime = (): Promise<Uint8Array> => withDeadline(start())
  const bytes = await (slot ? slot.whileBodyArrives(callerName(context), bytesMax, withinTime) : withinTime())
  await nextTurn()
  return bytes
}

const deadlines = new Deadlines(BODY_TIMEOUT_MS)

/** Returns a body. Throws `request_timeout` if it does not arrive in time, or `malformed_json` if it is cut off. */
function withDeadline(body: Promise<Uint8Array>): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const deadline = deadlines.set(() => reject(requestTimeout()))
    body.then(
      bytes => {
        deadlines.clear(deadline)
        resolve(bytes)
      },
      error => {
        deadlines.clear(deadline)
        // The runtime closed the connection: invalid chunks, or the sender disconnected.
        reject(error instanceof StoreError ? error : incompleteRequest('The body'))
      },
    )
  })
}

async function readChunks({ body }: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of body ?? []) {
    total += chunk.length
    if (total > BODY_BYTES_MAX) throw bodyTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Throws `malformed_json` if the runtime has refused the request, or the client has disconnected. The runtime passes a
 * request on before it reads the bytes after the request. If those bytes are a trailer section, or not a request, the
 * runtime responds with an empty 400. A refused request must have no effect, so call `receiveBody` or `nextTurn` first:
 * the refusal is known in the next turn of the event loop.
 */
export function assertNotRefused({ signal }: Request): void {
  if (signal.aborted) throw incompleteRequest('The request')
}

let turn: Promise<void> | undefined

/** Resolves in the next turn of the event loop. All requests of this turn share one timer. */
export function nextTurn(): Promise<void> {
  turn ??= new Promise(resolve => {
    setImmediate(() => {
      turn = undefined
      resolve()
    })
  })
  return turn
}
