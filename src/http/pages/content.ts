import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { etagOf, matchesWeakly, refuseUnlessMatches } from '../../shop/kernel/preconditions.ts'
import { readConditions } from '../pipeline/conditional.ts'
import { bodyInChunks } from '../pipeline/large-body.ts'
import { weightedValues } from '../pipeline/negotiate.ts'
import { type RequestContext, varyBy } from '../request/request-context.ts'
import { HTML } from './frame.ts'

/** Smaller content is not compressed, because compression would save only a few hundred bytes. */
const COMPRESS_BYTES_MIN = 1024

const compress = promisify(gzip)

/** One encoding of the content (RFC 9110, section 8.4), with its own ETag. */
interface EncodedContent {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
}

/** A text or file that is the same for every caller. */
export interface Content {
  readonly type: string
  readonly identity: EncodedContent
  readonly gzip: EncodedContent | undefined
}

/** Returns content in both encodings; small content only as identity. Compression does not run on the main thread. */
export async function prepareContent(type: string, content: string | Uint8Array): Promise<Content> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)
  const etag = etagOf(Buffer.from(bytes).toString('base64'))
  const identity = { bytes, etag }
  if (bytes.length < COMPRESS_BYTES_MIN) return { type, identity, gzip: undefined }
  const compressed = await compress(bytes, { level: constants.Z_BEST_COMPRESSION })
  return { type, identity, gzip: { bytes: new Uint8Array(compressed), etag: `${etag.slice(0, -1)}-gzip"` } }
}

/** Returns a function that prepares the content on its first call, and caches the content. A failure is not cached. */
export function prepareOnce<Prepared>(make: () => Promise<Prepared>): () => Promise<Prepared> {
  let prepared: Promise<Prepared> | undefined
  return () => {
    prepared ??= make().catch(error => {
      prepared = undefined
      throw error
    })
    return prepared
  }
}

const mediaTypes: Readonly<Record<string, string>> = {
  html: HTML,
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
}

/** Returns the media type of a file, by the extension of its name. */
export function mediaTypeOf(name: string): string {
  return mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
}

/** Like `prepareOnce`, for the content of a file. */
export function prepareFile(path: string): () => Promise<Content> {
  return prepareOnce(async () => prepareContent(mediaTypeOf(path), await Bun.file(path).bytes()))
}

/**
 * Returns a response with the content in the encoding that the request accepts, or with 304 if its ETag is in
 * If-None-Match. Throws `invalid_parameter` for malformed conditions, `precondition_failed` if If-Match does not match,
 * and `overloaded` if too many large bodies are being sent.
 */
export function sendContent(
  context: RequestContext,
  { type, identity, gzip }: Content,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { request } = context
  const encoded = gzip && acceptsGzip(request.headers.get('accept-encoding')) ? gzip : identity
  const responseHeaders: Record<string, string> = {
    ...context.headers,
    'Cache-Control': 'no-cache',
    ...headers,
    ETag: encoded.etag,
  }
  if (gzip) varyBy(responseHeaders, 'Accept-Encoding')
  const { ifMatch, ifNoneMatch } = readConditions(request.headers)
  refuseUnlessMatches(ifMatch, encoded.etag)
  if (ifNoneMatch && matchesWeakly(ifNoneMatch, encoded.etag)) {
    return new Response(null, { status: 304, headers: responseHeaders })
  }
  responseHeaders['Content-Type'] = type
  if (encoded === gzip) responseHeaders['Content-Encoding'] = 'gzip'
  if (request.method === 'HEAD') {
    responseHeaders['Content-Length'] = String(encoded.bytes.length)
    return new Response(null, { headers: responseHeaders })
  }
  return new Response(bodyInChunks(context, encoded.bytes), {
    headers: responseHeaders,
  })
}

/** Returns whether Accept-Encoding allows gzip (RFC 9110, section 12.5.3): by name, or by `*` if it is not named. */
function acceptsGzip(header: string | null): boolean {
  const codings = weightedValues(header ?? '')
  const named = codings.find(({ value }) => value === 'gzip' || value === 'x-gzip')
  return ((named ?? codings.find(({ value }) => value === '*'))?.weight ?? 0) > 0
}
