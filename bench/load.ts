import type { Sample } from './measure.ts'
import { ReplyReader } from './reply.ts'
import { cpuUs, type Server } from './server.ts'

// The load: connections that each send their next request once the previous reply has arrived completely. It parses
// only the status and the length of a reply, so that it takes less processor time than any server it measures.

const WARM_SECONDS = 0.5
const DRAIN_MS = 15_000

/** A kind of request; its functions are called for each one. */
export interface Request {
  readonly method?: 'POST' | 'PUT'
  readonly target: () => string
  /** More header lines, each with its line end. */
  readonly headers?: () => string
  readonly body?: () => string
  /** The only correct status (default: 200). Any other ends the run with an error. */
  readonly status?: number
}

export interface Load {
  readonly server: Server
  /** The requests that are sent in turn. */
  readonly requests: readonly Request[]
  readonly connections: number
}

interface Connection {
  readonly reader: ReplyReader
  status: number
}

/** Sends requests for some seconds, after a short time to warm up, and returns the counts. */
export async function runLoad(load: Load, seconds: number): Promise<Sample> {
  const run = new Run(load, Infinity)
  await run.start()
  await run.wait(WARM_SECONDS * 1000)
  const before = run.counts()
  await run.wait(seconds * 1000)
  const after = run.counts()
  await run.stop()
  return {
    requests: after.answered - before.answered,
    seconds: (after.ms - before.ms) / 1000,
    cpuUs: after.cpuUs - before.cpuUs,
    answered: run.counts().answered,
  }
}

/** Sends exactly this number of requests. */
export async function sendAll(load: Load, requests: number): Promise<void> {
  const run = new Run(load, requests)
  await run.start()
  await run.end.promise
}

class Run {
  readonly #load: Load
  readonly #requestsMax: number
  /** Resolves when nothing more is sent and all replies have arrived. Rejects after a wrong reply. */
  readonly end = Promise.withResolvers<void>()
  #sockets: Bun.Socket<Connection>[] = []
  #sent = 0
  #answered = 0
  #isStopping = false

  constructor(load: Load, requestsMax: number) {
    this.#load = load
    this.#requestsMax = requestsMax
    // A failure before the first wait is not unhandled: the wait reports it.
    this.end.promise.catch(() => {})
  }

  async start(): Promise<void> {
    const { connections } = this.#load
    this.#sockets = await Promise.all(Array.from({ length: connections }, () => this.#connect()))
    for (const socket of this.#sockets) this.#send(socket)
  }

  async wait(ms: number): Promise<void> {
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, ms)
    await Promise.race([timeout.promise, this.end.promise]).finally(() => clearTimeout(timer))
  }

  counts(): { answered: number; cpuUs: number; ms: number } {
    return { answered: this.#answered, cpuUs: cpuUs(this.#load.server.pid), ms: performance.now() }
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.wait(DRAIN_MS)
    const open = this.#sent - this.#answered
    if (open > 0) throw new Error(`${open} requests got no response`)
  }

  #connect(): Promise<Bun.Socket<Connection>> {
    return Bun.connect<Connection>({
      hostname: '127.0.0.1',
      port: this.#load.server.port,
      data: { reader: new ReplyReader(), status: 0 },
      socket: {
        data: (socket, chunk) => {
          try {
            this.#receive(socket, chunk)
          } catch (error) {
            this.#fail(error)
          }
        },
        close: () => this.#fail(new Error('the server closed a connection')),
        error: (_, error) => this.#fail(error),
      },
    })
  }

  #send(socket: Bun.Socket<Connection>): void {
    const { requests, server } = this.#load
    const request = requests[this.#sent++ % requests.length]
    if (!request) throw new Error('a load has no request')
    const { method = 'GET', target, headers, body, status = 200 } = request
    const content = body?.()
    const text =
      `${method} ${target()} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAccept: application/json\r\n` +
      `User-Agent: petstore-bench\r\n${headers?.() ?? ''}` +
      (content === undefined
        ? '\r\n'
        : `Content-Type: application/json\r\nContent-Length: ${content.length}\r\n\r\n${content}`)
    socket.data.status = status
    if (socket.write(text) !== text.length) throw new Error('a request did not fit into the socket at once')
  }

  #receive(socket: Bun.Socket<Connection>, chunk: Buffer): void {
    const { reader, status } = socket.data
    const reply = reader.take(chunk)
    if (!reply) return
    if (reply.status !== status) throw new Error(`expected ${status}, got ${reply.bytes.toString('utf8')}`)
    this.#answered++
    if (!this.#isStopping && this.#sent < this.#requestsMax) this.#send(socket)
    else if (this.#answered === this.#sent) this.#finish()
  }

  /** Rejects the run: a wrong measurement is worse than none. It has no effect after the end. */
  #fail(error: unknown): void {
    this.end.reject(error)
    this.#finish()
  }

  #finish(): void {
    this.end.resolve()
    for (const socket of this.#sockets) socket.end()
  }
}

/** Numbers from `first` on. */
export interface Range {
  readonly first: number
  readonly count: number
  /** The distance between two numbers (default: 1). */
  readonly step?: number
}

/**
 * Returns a function that returns one of these numbers, all equally often. Each group of `different` numbers that it
 * returns has no number twice.
 */
export function oneOf({ first, count, step = 1 }: Range, different = 1): () => number {
  let returned = 0
  return () => first + step * Math.floor((((returned++ % different) + Math.random()) * count) / different)
}

/** Returns a function that returns the first numbers more often: 1 to 10 as often as 11 to 100. */
export function logUniform({ first, count }: Range): () => number {
  return () => first + Math.floor(count ** Math.random()) - 1
}

/** Returns the request of an order, for one unit of a pet of these. */
export function orderRequest(pets: Range, adminKey: string, isKeyed = false): Request {
  const petId = oneOf(pets)
  const authorization = `Authorization: Bearer ${adminKey}\r\n`
  const prefix = `bench-${Date.now()}`
  let sent = 0
  return {
    method: 'POST',
    target: () => '/store/orders',
    headers: isKeyed
      ? () => `${authorization}Idempotency-Key: "${prefix}-${sent++}"\r\n`
      : () => authorization,
    body: () => `{"petId":${petId()},"quantity":1}`,
    status: 201,
  }
}
