import type { Socket, SocketHandler } from 'bun'
import { type FuzzResponse, noResponse, ResponseReader } from './fuzz-response.ts'

const RESPONSE_TIMEOUT_MS = 10_000

/** A keep-alive connection, reopened when necessary. Request bytes are sent unchanged. */
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

  /**
   * Sends one request and returns its response. The status of the response is 0 if the connection could not be made or
   * was closed, if the response is malformed, or if the response is not complete within 10 seconds.
   */
  async send(method: string, bytes: Uint8Array): Promise<FuzzResponse> {
    const socket = this.#socket ?? (await this.#connect())
    if (!socket) return noResponse('could not connect')
    const timer = setTimeout(() => this.#fail('no response within 10 seconds'), RESPONSE_TIMEOUT_MS)
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
      // `send` returns a response with the status 0, which is reported as a finding.
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
    if (!response) return
    // A malformed response has no known end.
    if (response.status === 0) this.#disconnect()
    this.#settle(response)
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
