import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { deadPort } from './receiver.ts'

/**
 * The treatment of a COMMIT on its way to the server:
 * - `pass`: it is passed on.
 * - `lose-request`: the connection breaks, and the server never gets the COMMIT.
 * - `lose-response`: the server commits, then the connection breaks.
 * - `delay`: the client's connection breaks at once, and the server gets the COMMIT a moment later.
 */
export type CommitFate = 'pass' | 'lose-request' | 'lose-response' | 'delay'

/** A proxy in front of PostgreSQL that breaks connections as a network does. */
export interface PostgresProxy extends AsyncDisposable {
  /** Returns the URL of a database through the proxy. */
  urlOf(url: string): string
  /** Sets the function that chooses the fate of each later COMMIT of a command. Commits of the sequencer pass. */
  onCommit(fateOf: () => CommitFate): void
  /** The distinct texts of all statements that were sent or prepared. */
  readonly statements: ReadonlySet<string>
  /** Sets the function that changes the text of each later simple query. */
  onQuery(rewrite: (text: string) => string): void
  /** Returns the number of round trips in the transactions of commands so far. */
  roundTrips(): number
  /** Accepts connections, but passes no byte on in either direction: a frozen server or network. */
  freeze(): void
  thaw(): void
  /** Breaks all connections and refuses new ones: a server that is down. */
  down(): void
  up(): Promise<void>
}

const QUERY = 0x51
const PARSE = 0x50
const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
/** The time from the end of the connection to the arrival of a delayed COMMIT. */
const DELAY_MS = 100

/** Opens a proxy to the server of a database URL. */
export async function openPostgresProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url)
  const port = await deadPort()
  const links = new Set<Link>()
  const behavior: Behavior = {
    fateOf: () => 'pass',
    rewrite: text => text,
    isFrozen: false,
    roundTrips: 0,
    statements: new Set(),
  }
  const listen = async (): Promise<Server> => {
    const server = createServer(socket => {
      const link = new Link(socket, dial(Number(target.port), target.hostname), behavior)
      links.add(link)
      socket.on('close', () => links.delete(link))
    })
    await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
    return server
  }
  let server: Server | undefined = await listen()
  const down = (): void => {
    server?.close()
    server = undefined
    for (const link of links) link.break()
  }
  return {
    urlOf: text => Object.assign(new URL(text), { host: `127.0.0.1:${port}` }).href,
    statements: behavior.statements,
    onCommit: fateOf => {
      behavior.fateOf = fateOf
    },
    onQuery: rewrite => {
      behavior.rewrite = rewrite
    },
    roundTrips: () => behavior.roundTrips,
    freeze: () => {
      behavior.isFrozen = true
    },
    thaw: () => {
      behavior.isFrozen = false
      for (const link of links) link.flush()
    },
    down,
    up: async () => {
      server ??= await listen()
    },
    [Symbol.asyncDispose]: async () => down(),
  }
}

interface Behavior {
  fateOf: () => CommitFate
  rewrite: (text: string) => string
  isFrozen: boolean
  roundTrips: number
  readonly statements: Set<string>
}

/** One connection through the proxy. */
class Link {
  readonly #client: Socket
  readonly #server: Socket
  readonly #behavior: Behavior
  /** The bytes of the client that are not yet a complete message. */
  #sent: Buffer = Buffer.alloc(0)
  #hasStarted = false
  #isResponseLost = false
  /** Whether the current transaction is that of a command. */
  #isCommand = false
  #wasAnswered = true
  /** The actions that wait while the proxy is frozen, in the order of their arrival. */
  readonly #waiting: (() => void)[] = []

  constructor(client: Socket, server: Socket, behavior: Behavior) {
    this.#client = client
    this.#server = server
    this.#behavior = behavior
    for (const socket of [client, server]) {
      socket.on('error', () => this.break())
      socket.on('close', () => this.#onClose(socket))
    }
    client.on('data', (chunk: Buffer) => this.#pass(() => this.#onSent(chunk)))
    server.on('data', (chunk: Buffer) => this.#pass(() => this.#onReceived(chunk)))
  }

  break(): void {
    this.#client.destroy()
    this.#server.destroy()
  }

  flush(): void {
    for (const pass of this.#waiting.splice(0)) pass()
  }

  #pass(pass: () => void): void {
    if (this.#behavior.isFrozen) this.#waiting.push(pass)
    else pass()
  }

  #onClose(socket: Socket): void {
    // The end of a connection does not get through a frozen network either.
    this.#pass(() => (socket === this.#client ? this.#server.end() : this.#client.destroy()))
  }

  #onReceived(chunk: Buffer): void {
    this.#wasAnswered = true
    if (this.#isResponseLost) this.break()
    else this.#client.write(chunk)
  }

  #onSent(chunk: Buffer): void {
    this.#sent = Buffer.concat([this.#sent, chunk])
    for (let message = this.#next(); message; message = this.#next()) this.#onMessage(message)
  }

  /** Returns the next complete message. A message begins with its type and its length; the first one has no type. */
  #next(): Buffer | undefined {
    const typeBytes = this.#hasStarted ? 1 : 0
    if (this.#sent.length < typeBytes + 4) return undefined
    const bytes = typeBytes + this.#sent.readInt32BE(typeBytes)
    if (this.#sent.length < bytes) return undefined
    const message = this.#sent.subarray(0, bytes)
    this.#sent = this.#sent.subarray(bytes)
    // A request for encryption comes before the first message, and has no type either.
    this.#hasStarted ||= ![SSL_REQUEST, GSS_REQUEST].includes(message.readInt32BE(4))
    return message
  }

  #onMessage(message: Buffer): void {
    if (isCommand(message)) this.#isCommand = true
    if (this.#isCommand && this.#wasAnswered) this.#behavior.roundTrips++
    this.#wasAnswered = false
    if (message[0] === PARSE) {
      // The name of the statement is before its text.
      const start = message.indexOf(0, 5) + 1
      this.#behavior.statements.add(message.toString('utf8', start, message.indexOf(0, start)))
    }
    if (message[0] !== QUERY) {
      this.#server.write(message)
      return
    }
    const text = this.#behavior.rewrite(message.toString('utf8', 5, message.length - 1))
    this.#behavior.statements.add(text)
    const query = queryMessage(text)
    const fate = text === 'COMMIT' && this.#isCommand ? this.#behavior.fateOf() : 'pass'
    if (text === 'COMMIT' || text === 'ROLLBACK') this.#isCommand = false
    if (fate === 'lose-request') this.break()
    else if (fate === 'delay') {
      this.#client.removeAllListeners('close').destroy()
      this.#isResponseLost = true
      setTimeout(() => this.#server.write(query), DELAY_MS)
    } else {
      this.#isResponseLost = fate === 'lose-response'
      this.#server.write(query)
    }
  }
}

/** Returns whether a message begins the transaction of a command: BEGIN and this INSERT are one message. */
function isCommand(message: Buffer): boolean {
  return message[0] === QUERY && message.includes('INSERT INTO execution')
}

function queryMessage(text: string): Buffer {
  const bytes = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head[0] = QUERY
  head.writeInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}
