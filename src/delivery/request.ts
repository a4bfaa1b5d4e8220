import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { hostOf, type Target } from './address.ts'

const REPLY_BYTES_KEPT = 1024
const REPLY_BYTES_READ = 64 * 1024
/** What a connection may bring for a body of that size, framing included. */
const CONNECTION_BYTES_READ = 4 * REPLY_BYTES_READ
/** Responses 1xx before the final one: a receiver could send nothing else. (The runtime bounds heads and trailers.) */
const INFORMATIONAL_MAX = 10

export interface Outgoing {
  readonly target: Target
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Of everything, from connecting to the end of the reply. */
  readonly timeoutMs: number
  /** Certificates in PEM that are trusted in place of the public ones. */
  readonly ca?: string
}

export interface Incoming {
  readonly status: number
  /** The field Retry-After as it came. */
  readonly retryAfter?: string
  /** The first 1 KiB of the body as text. */
  readonly reply: string
}

/** No HTTP status came, for the reason that the message gives to a person. */
export class RequestFailed extends Error {}

/**
 * Sends one POST over a connection of its own to the address of the target and to no other: redirects are not
 * followed, no proxy of the environment is used, and the name is not looked up again. The certificate must be the
 * URL's host's.
 *
 * Once the head of the reply has come its status is what counts. The body is read up to 64 KiB, or as far as it
 * comes within `timeoutMs`, and the connection is cut. Throws RequestFailed.
 */
export async function post(outgoing: Outgoing): Promise<Incoming> {
  const { target, timeoutMs } = outgoing
  const { promise, resolve, reject } = Promise.withResolvers<Incoming>()
  const request = open(outgoing)
  const deadline = setTimeout(() => {
    request.destroy(new RequestFailed(`${target.url.host} gave no answer within ${timeoutMs} ms.`))
  }, timeoutMs)
  let informational = 0
  request.on('information', () => {
    if (++informational <= INFORMATIONAL_MAX) return
    request.destroy(
      new RequestFailed(`${target.url.host} sent more than ${INFORMATIONAL_MAX} informational responses.`),
    )
  })
  // What is settled first holds: an error after the head changes nothing.
  request.on('response', response => resolve(readIncoming(response)))
  request.on('error', error => reject(failureOf(target.url.host, error)))
  request.on('close', () => reject(new RequestFailed(`${target.url.host} gave no final answer.`)))
  request.end(outgoing.body)
  try {
    return await promise
  } finally {
    clearTimeout(deadline)
    // A receiver that answered early and reads no further would hold the rest of the body, and the socket with it.
    request.destroy()
  }
}

function open({ target, headers, body, ca }: Outgoing): ClientRequest {
  const { url, address } = target
  const options = {
    method: 'POST',
    host: address,
    port: url.port,
    path: url.pathname + url.search,
    agent: false,
    // What stands last holds, in whatever case the headers write the same names.
    headers: { ...headers, Host: url.host, 'Content-Length': Buffer.byteLength(body) },
  } as const
  if (url.protocol === 'http:') return requestHttp(options)
  const host = hostOf(url)
  return requestHttps({
    ...options,
    // No address, nor the dot of the root, is a server name (RFC 6066, section 3).
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    // Said, so that no variable of the environment turns it off.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  })
}

/** Resolves when the body has ended, was cut by anybody, or has filled what is read of it. */
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

/** A decoder that waits for more leaves a character out that the cut has broken. */
function replyText(bytes: Buffer): string {
  const start = bytes.subarray(0, REPLY_BYTES_KEPT)
  return new TextDecoder().decode(start, { stream: true }).replaceAll('\0', '')
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'cut the connection before it answered',
  EPIPE: 'cut the connection before it answered',
  ETIMEDOUT: 'cannot be reached',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  EADDRNOTAVAIL: 'cannot be reached',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate of another name',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
}

function failureOf(host: string, error: Error): RequestFailed {
  if (error instanceof RequestFailed) return error
  const code = 'code' in error ? String(error.code) : error.name
  const known = failures[code] ?? (code.startsWith('HPE_') ? 'did not answer in HTTP' : undefined)
  const secure = /^(ERR_SSL|ERR_TLS|EPROTO)|CERT|SIGNATURE/.test(code)
  const what = known ?? `${secure ? 'could not be reached over TLS' : 'could not be reached'} (${code})`
  return new RequestFailed(`${host} ${what}.`, { cause: error })
}
