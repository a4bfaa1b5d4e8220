import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'

/** A request as received over the network. */
export interface Received {
  readonly method: string
  readonly path: string
  /** The header fields, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly arrivedMs: number
  /** The server name that a client requested over TLS. */
  readonly serverName?: string
}

/** Responds to one request. It may write anything, HTTP or not, or nothing at all. */
export type Responder = (socket: Socket, request: Received) => void

/** A web server on the loopback interface that a test controls. Disposing it stops it. */
export interface Receiver extends AsyncDisposable {
  readonly port: number
  /** `http://127.0.0.1:port`, or the form that the host and TLS require. */
  readonly base: string
  readonly received: readonly Received[]
  /** Returns the number of connections that were ever made to the receiver, with and without a request. */
  readonly connections: () => number
  /** Resolves once the receiver has received `count` requests in total. */
  waitForRequests(count: number): Promise<void>
  /** Resolves once no connection is open. */
  quiet(): Promise<void>
  /** Closes every open connection. */
  cutAll(): void
}

export interface ReceiverOptions {
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: '127.0.0.1' | '::1'
  /** Whether the receiver uses TLS, with `certificate`. */
  readonly tls?: boolean
  /** A text that is sent as soon as a client has connected. */
  readonly greeting?: string
}

/** Opens a receiver on a free port. `responderOf` chooses the response to each request, by request and index. */
export async function openReceiver(
  responderOf: (request: Received, index: number) => Responder = () => reply(204),
  { host = '127.0.0.1', tls = false, greeting = '' }: ReceiverOptions = {},
): Promise<Receiver> {
  const received: Received[] = []
  const open = new Set<Socket>()
  const waiting = new Set<() => void>()
  let connections = 0
  const onChange = (): void => {
    for (const check of waiting) check()
  }
  const onSocket = (socket: Socket): void => {
    socket.on('error', () => socket.destroy())
    socket.write(greeting)
    readRequest(socket, request => {
      const respond = responderOf(request, received.length)
      received.push(request)
      respond(socket, request)
      onChange()
    })
  }
  const server = tls
    ? createTlsServer({ cert: certificate, key: certificateKey }, onSocket)
    : createServer(onSocket)
  server.on('connection', (socket: Socket) => {
    connections += 1
    open.add(socket)
    socket.on('close', () => {
      open.delete(socket)
      onChange()
    })
  })
  const cutAll = (): void => {
    for (const socket of open) socket.destroy()
  }
  const port = await listen(server, host)
  const until = async (isMet: () => boolean): Promise<void> => {
    const met = Promise.withResolvers<void>()
    const check = (): void => {
      if (isMet()) met.resolve()
    }
    waiting.add(check)
    check()
    await met.promise
    waiting.delete(check)
  }
  return {
    port,
    base: `${tls ? 'https' : 'http'}://${host === '::1' ? '[::1]' : host}:${port}`,
    received,
    connections: () => connections,
    waitForRequests: count => until(() => received.length >= count),
    cutAll,
    quiet: () => until(() => open.size === 0),
    [Symbol.asyncDispose]: async () => {
      cutAll()
      await close(server)
    },
  }
}

/** A server that sends its response as soon as a client connects, and reads only when the test calls `readRest`. */
export interface HastyReceiver extends AsyncDisposable {
  readonly base: string
  /** Reads to the end of the connection, and resolves to the number of bytes received. */
  readRest(): Promise<number>
}

export async function openHastyReceiver(response: string): Promise<HastyReceiver> {
  const connected = Promise.withResolvers<Socket>()
  const server = createServer({ pauseOnConnect: true }, socket => {
    socket.write(response)
    connected.resolve(socket)
  })
  const port = await listen(server, '127.0.0.1')
  const readRest = async (): Promise<number> => {
    const socket = await connected.promise
    const ended = Promise.withResolvers<void>()
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    socket.on('error', () => ended.resolve())
    socket.on('close', () => ended.resolve())
    socket.resume()
    await ended.promise
    return bytes
  }
  return { base: `http://127.0.0.1:${port}`, readRest, [Symbol.asyncDispose]: () => close(server) }
}

/** The ports of this process. Concurrent test files run in processes with neighbouring ids. */
const DEAD_PORTS = { from: 10_000 + (process.pid % 20) * 1000, count: 1000 }
let nextDeadPort = Math.floor(Math.random() * DEAD_PORTS.count)

/**
 * Returns a port of 127.0.0.1 on which nothing listens, and which no other test gets soon. The port is below the range
 * from which the system assigns ports, because concurrent tests take their ports from that range.
 */
export async function deadPort(): Promise<number> {
  for (;;) {
    const port = DEAD_PORTS.from + (nextDeadPort++ % DEAD_PORTS.count)
    const server = createServer()
    const isFree = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await close(server)
    return port
  }
}

/** Returns a responder that sends a complete response. It does not close the connection: the client does. */
export function reply(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = '',
): Responder {
  const bytes = Buffer.from(body)
  const fields = Object.entries({ 'content-length': String(bytes.length), ...headers })
  const head = [`HTTP/1.1 ${status} Any`, ...fields.map(([name, value]) => `${name}: ${value}`)]
  return socket => socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]))
}

/** Returns a responder that sends a redirect to another URL. */
export function redirect(location: string, status = 307): Responder {
  return reply(status, { location })
}

/** Returns a responder that sends exactly this text, which need not be HTTP, and then nothing. */
export function raw(text: string): Responder {
  return socket => socket.write(text)
}

/** A responder that sends nothing. */
export const silence: Responder = () => {}

/** A responder that closes the connection with a reset. */
export const reset: Responder = socket => socket.resetAndDestroy()

/** Returns a responder that sends a text at once, then one byte every `everyMs` until the connection ends. */
export function dripping(start: string, everyMs = 1000): Responder {
  return socket => {
    socket.write(start)
    const timer = setInterval(() => socket.write('x'), everyMs)
    socket.on('close', () => clearInterval(timer))
  }
}

/** Returns a responder that sends `start`, then `more` repeatedly as fast as the client reads, without an end. */
export function endless(start: string, more = 'x'.repeat(16 * 1024)): Responder {
  return socket => {
    const fill = (): void => {
      while (!socket.destroyed && socket.write(more));
    }
    socket.write(start)
    socket.on('drain', fill)
    fill()
  }
}

/** Calls `take` with each request that arrives on a connection. A body has the length in its Content-Length. */
function readRequest(socket: Socket, take: (request: Received) => void): void {
  let bytes = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    const headEnd = bytes.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const [start = '', ...fields] = bytes.toString('latin1', 0, headEnd).split('\r\n')
    const [method = '', path = ''] = start.split(' ')
    const headers = Object.fromEntries(fields.map(fieldOf))
    const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0)
    if (bytes.length < bodyEnd) return
    const body = bytes.subarray(headEnd + 4, bodyEnd)
    bytes = bytes.subarray(bodyEnd)
    // If no server name was requested, the runtime returns false.
    const serverName =
      socket instanceof TLSSocket && socket.servername ? { serverName: socket.servername } : {}
    take({ method, path, headers, body, arrivedMs: performance.now(), ...serverName })
  })
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

async function listen(server: Server, host: string): Promise<number> {
  const listening = Promise.withResolvers<void>()
  server.on('error', listening.reject)
  server.listen(0, host, listening.resolve)
  await listening.promise
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the system assigned no port')
  return address.port
}

async function close(server: Server): Promise<void> {
  const closed = Promise.withResolvers<void>()
  server.close(() => closed.resolve())
  await closed.promise
}

/** A self-signed certificate for shop.example and 127.0.0.1, valid for a hundred years. Trust it with `ca`. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBozCCAUqgAwIBAgIUdzLemWHrqxGsZkw+f/PZAcAM52AwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMc2hvcC5leGFtcGxlMCAXDTI2MTEyMTA2MjUzMVoYDzIxMjYx
MDI4MDYyNTMxWjAXMRUwEwYDVQQDDAxzaG9wLmV4YW1wbGUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAARWZMejlvUYC7K8fPw+DOTSMjPcwrkbUFPHArx6s2lobH44
zszW4vRqGZL5biIPJLMsVHs4ujH7Li0NmY13mhVko3IwcDAdBgNVHQ4EFgQU8Ifa
6hl6mb7zDJmBI+5rjfd6MiswHwYDVR0jBBgwFoAU8Ifa6hl6mb7zDJmBI+5rjfd6
MiswDwYDVR0TAQH/BAUwAwEB/zAdBgNVHREEFjAUggxzaG9wLmV4YW1wbGWHBH8A
AAEwCgYIKoZIzj0EAwIDRwAwRAIgeMQv+N5NSSJRedKeTI4WIrgrybz8f53d61o0
DGif+lcCIE4Yt0JcalF2DPUPnG52t394Tctk1raX9crGcu7sv/oM
-----END CERTIFICATE-----
`

export const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglb58cbjnlYgS+juy
08ZerFGxTzHshv0aCs1XzHwsMR6hRANCAARWZMejlvUYC7K8fPw+DOTSMjPcwrkb
UFPHArx6s2lobH44zszW4vRqGZL5biIPJLMsVHs4ujH7Li0NmY13mhVk
-----END PRIVATE KEY-----
`

/** Returns a responder that holds its request until the test calls `release`. */
export function heldReply(): { respond: Responder; release: (status: number) => void } {
  const released = Promise.withResolvers<number>()
  const respond: Responder = async (socket, request) => reply(await released.promise)(socket, request)
  return { respond, release: released.resolve }
}
