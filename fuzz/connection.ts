import type { Socket, SocketHandler } from 'bun'
import { type FuzzResponse, noResponse, ResponseReader } from './fuzz-response.ts'

const RESPONSE_MS_MAX = 10_000

/** One connection, kept open between requests; the bytes of a request are sent unchanged. */
export class Connection implements Disposable {
  readonly #hostname: string
  readonly #port: number
  #socket: Socket | undefined
  #unsent: Uint8Array = new Uint8Array()
  #reader = new ResponseReader('GET')
  #resolve: ((response: FuzzResponse) => void) | undefined

  constructor({ hostname, port }: URL) {
    this.#hostname = hostname.replaceAll(/[[\]]/g, '')
    this.#port = Number(port || 80)
  }

  /** Sends one request and reads its response; the status is 0 if there was none within 10 seconds. */
  async send(method: string, bytes: Uint8Array): Promise<FuzzResponse> {
    const socket = this.#socket ?? (await this.#connect())
    if (!socket) return noResponse('nothing listens')
    const timer = setTimeout(() => this.#fail('no response within 10 seconds'), RESPONSE_MS_MAX)
    const response = await new Promise<FuzzResponse>(resolve => {
      this.#resolve = resolve
      this.#reader = new ResponseReader(method)
      this.#unsent = bytes
      this.#write(socket)
    })
    clearTimeout(timer)
    if (response.headers.get('connection') === 'close') this.#disconnect()
    return response
  }

  [Symbol.dispose](): void {
    this.#disconnect()
  }

  async #connect(): Promise<Socket | undefined> {
    try {
      this.#socket = await Bun.connect({
        hostname: this.#hostname,
        port: this.#port,
        socket: this.#handlers(),
      })
    } catch {
      // If a request ended the server, that request is the finding.
      return undefined
    }
    return this.#socket
  }

  #handlers(): SocketHandler<undefined> {
    return {
      data: (socket, chunk) => {
        if (socket === this.#socket) this.#receive(chunk)
      },
      drain: socket => this.#write(socket),
      close: socket => {
        if (socket === this.#socket) this.#fail('the connection was closed')
      },
      error: (_, error) => this.#fail(error.message),
    }
  }

  #write(socket: Socket): void {
    if (this.#unsent.length === 0) return
    this.#unsent = this.#unsent.subarray(Math.max(0, socket.write(this.#unsent)))
  }

  #receive(chunk: Uint8Array): void {
    const response = this.#reader.take(chunk)
    if (response) this.#settle(response)
  }

  #fail(reason: string): void {
    this.#disconnect()
    this.#settle(noResponse(reason))
  }

  #settle(response: FuzzResponse): void {
    const resolve = this.#resolve
    this.#resolve = undefined
    resolve?.(response)
  }

  #disconnect(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.terminate()
  }
}
