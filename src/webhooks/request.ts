import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { type Destination, hostOf } from './address.ts'

const REPLY_BYTES_KEPT = 1024
const REPLY_BYTES_READ = 64 * 1024
/** The maximum number of bytes that a connection receives. It exceeds REPLY_BYTES_READ because of the framing. */
const CONNECTION_BYTES_READ = 4 * REPLY_BYTES_READ
/**
 * The maximum number of 1xx responses, because a receiver could send them forever. The runtime limits the heads and
 * trailers.
 */
const INFORMATIONAL_MAX = 10

export interface Outgoing {
  readonly destination: Destination
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The time limit of the whole request, from the connection to the end of the reply. */
  readonly timeoutMs: number
  /** Trusted certificates in PEM, in place of the public ones. */
  readonly ca?: string
}

export interface Incoming {
  readonly status: number
  /** The Retry-After header as received. */
  readonly retryAfter?: string
  /** The first 1 KiB of the body as text. */
  readonly reply: string
}

/** Thrown if a request got no HTTP status. The message is the reason, as a sentence. */
export class RequestFailed extends Error {}

/**
 * Sends one POST and returns the status and the start of the response. Throws RequestFailed if no head of a final
 * response arrives within `timeoutMs`. After the head, the body is read up to 64 KiB, or until `timeoutMs` is over.
 * Then the connection is closed.
 *
 * The request has its own connection, to the first address of the destination that accepts one, and to no other.
 * Redirects are not followed, proxy settings in the environment are ignored, and the name is not resolved again. The
 * certificate must match the host of the URL.
 */
export async function post(outgoing: Outgoing): Promise<Incoming> {
  const { addresses } = outgoing.destination
  const dueMs = performance.now() + outgoing.timeoutMs
  let failure: unknown
  for (const address of addresses) {
    if (failure !== undefined && performance.now() >= dueMs) break
    try {
      return await postTo(address, outgoing, Math.max(1, dueMs - performance.now()))
    } catch (error) {
      failure ??= error
      if (!(error instanceof RequestFailed && isUnreached(error.cause))) break
    }
  }
  throw failure
}

/** Sends the request of `post` to one address. */
async function postTo(address: string, outgoing: Outgoing, leftMs: number): Promise<Incoming> {
  const { destination, timeoutMs } = outgoing
  const { promise, resolve, reject } = Promise.withResolvers<Incoming>()
  const request = openRequest(address, outgoing)
  const deadline = setTimeout(() => {
    request.destroy(new RequestFailed(`${destination.url.host} did not respond within ${timeoutMs} ms.`))
  }, leftMs)
  let informational = 0
  request.on('information', () => {
    if (++informational <= INFORMATIONAL_MAX) return
    request.destroy(
      new RequestFailed(
        `${destination.url.host} sent more than ${INFORMATIONAL_MAX} informational responses.`,
      ),
    )
  })
  // Only the first settlement counts, so an error after the head changes nothing.
  request.on('response', response => resolve(readIncoming(response)))
  request.on('error', error => reject(failureOf(destination.url.host, error)))
  request.on('close', () => reject(new RequestFailed(`${destination.url.host} sent no final response.`)))
  request.end(outgoing.body)
  try {
    return await promise
  } finally {
    clearTimeout(deadline)
    // A receiver that responded early and stops reading would keep the rest of the body, and the socket, in memory.
    request.destroy()
  }
}

function openRequest(address: string, { destination, headers, body, ca }: Outgoing): ClientRequest {
  const { url } = destination
  const options = {
    method: 'POST',
    host: address,
    port: url.port,
    path: url.pathname + url.search,
    agent: false,
    // Later entries win; header names are case-insensitive.
    headers: { ...headers, Host: url.host, 'Content-Length': Buffer.byteLength(body) },
  } as const
  if (url.protocol === 'http:') return requestHttp(options)
  const host = hostOf(url)
  return requestHttps({
    ...options,
    // Neither an IP address nor a trailing dot is part of a server name (RFC 6066, section 3).
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    // Explicit, so that no environment variable can turn it off.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  })
}

/**
 * Returns the response when the body has ended, the connection was closed by either side, or the limit of bytes is
 * reached.
 */
async function readIncoming(response: IncomingMessage): Promise<Incoming> {
  const ended = Promise.withResolvers<void>()
  const kept: Buffer[] = []
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    kept.push(chunk)
    bytes += chunk.length
    if (bytes >= REPLY_BYTES_READ || response.socket.bytesRead >= CONNECTION_BYTES_READ) response.destroy()
  })
  response.on('error', () => ended.resolve())
  response.on('close', () => ended.resolve())
  await ended.promise
  const retryAfter = response.headers['retry-after']
  return {
    status: response.statusCode ?? 0,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    reply: replyText(Buffer.concat(kept)),
  }
}

/** Returns the first 1 KiB as text, without NUL characters. A streaming decoder omits a character split by the cut. */
function replyText(bytes: Buffer): string {
  const start = bytes.subarray(0, REPLY_BYTES_KEPT)
  return new TextDecoder().decode(start, { stream: true }).replaceAll('\0', '')
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection before responding',
  EPIPE: 'closed the connection before responding',
  ETIMEDOUT: 'cannot be reached',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  EADDRNOTAVAIL: 'cannot be reached',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
  CERT_HAS_EXPIRED: 'has an expired certificate',
}

/** The codes of a connection that was never open, so that nothing of the request was sent. */
const UNREACHED: readonly unknown[] = [
  'ECONNREFUSED',
  'ConnectionRefused',
  'FailedToOpenSocket',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
]

function isUnreached(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && UNREACHED.includes(cause.code)
}

function failureOf(host: string, error: Error): RequestFailed {
  if (error instanceof RequestFailed) return error
  const code = 'code' in error ? String(error.code) : error.name
  const known = failures[code] ?? (code.startsWith('HPE_') ? 'did not respond with valid HTTP' : undefined)
  const isTlsError = /^(ERR_SSL|ERR_TLS|EPROTO)|CERT|SIGNATURE/.test(code)
  const reason = known ?? `${isTlsError ? 'could not be reached over TLS' : 'could not be reached'} (${code})`
  return new RequestFailed(`${host} ${reason}.`, { cause: error })
}
