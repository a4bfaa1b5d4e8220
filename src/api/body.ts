import { StoreError } from '../model/error.ts'

export const BODY_BYTES_MAX = 1024 * 1024
const BODY_TIMEOUT_MS = 10_000

const MERGE_PATCH = 'application/merge-patch+json'
/** What a PATCH may be: the field Accept-Patch (RFC 5789, section 3.1). */
export const PATCH_TYPES = `${MERGE_PATCH}, application/json`

/** Refuses a body by its header fields alone. Throws `unsupported_media_type`, `body_too_large`. */
export function refuseBodyByHeaders({ method, headers }: Request): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '')
    .split(';')
    .map(part => part.trim().toLowerCase())
  const readable = type === 'application/json' || (method === 'PATCH' && type === MERGE_PATCH)
  const utf8 = parameters.every(
    parameter => !parameter.startsWith('charset=') || /^charset="?utf-8"?$/.test(parameter),
  )
  const encoding = headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  if (!readable || !utf8 || encoding !== 'identity') {
    const types = method === 'PATCH' ? `${MERGE_PATCH} or application/json` : 'application/json'
    throw new StoreError(
      'unsupported_media_type',
      `Content-Type must be ${types}, in UTF-8 and not compressed.`,
      method === 'PATCH' ? { acceptPatch: PATCH_TYPES } : {},
    )
  }
  if (Number(headers.get('content-length') ?? 0) > BODY_BYTES_MAX) throw tooLarge()
}

/** Bytes that a body may still have, by what its header fields say. */
export function expectedBytes({ headers }: Request): number {
  return Number(headers.get('content-length') ?? BODY_BYTES_MAX)
}

/** Reads a body to its end, within a bound of size and of time. Throws `body_too_large`, `request_timeout`. */
export async function readBody(request: Request): Promise<Uint8Array> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(
      new StoreError('request_timeout', `The body did not arrive within ${BODY_TIMEOUT_MS / 1000} seconds.`),
    )
  }, BODY_TIMEOUT_MS)
  try {
    return await Promise.race([late.promise, readAll(request)])
  } finally {
    clearTimeout(timer)
  }
}

async function readAll(request: Request): Promise<Uint8Array> {
  try {
    // With a length the runtime holds the sender to it; without one (chunks) the bytes are counted as they come.
    return request.headers.has('content-length') ? await request.bytes() : await readChunks(request)
  } catch (error) {
    if (error instanceof StoreError) throw error
    // The runtime gave the connection up: bad chunks, or a sender that went away in the middle.
    throw new StoreError('malformed_json', 'The body did not arrive whole.')
  }
}

async function readChunks({ body }: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of body ?? []) {
    total += chunk.length
    if (total > BODY_BYTES_MAX) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * Throws `malformed_json` for a request that the runtime has refused. The runtime reports the end of a request before
 * it reads what follows, and only then responds with an empty 400 to a trailer section or to bytes that are no request.
 * By the next turn of the event loop it has: a request that it refused must have no effect.
 */
export async function assertNotRefused(request: Request): Promise<void> {
  await nextTurn()
  if (request.signal.aborted) throw new StoreError('malformed_json', 'The request did not arrive whole.')
}

let turn: Promise<void> | undefined

/** Resolves in the next turn of the event loop: one timer for all requests of this turn. */
function nextTurn(): Promise<void> {
  turn ??= new Promise(resolve => {
    setImmediate(() => {
      turn = undefined
      resolve()
    })
  })
  return turn
}

function tooLarge(): StoreError {
  return new StoreError('body_too_large', `The body may have at most ${BODY_BYTES_MAX} bytes.`)
}
