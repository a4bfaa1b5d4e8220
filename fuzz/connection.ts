import type { Socket, SocketHandler } from 'bun'
import { AnswerReader, type FuzzResponse, noAnswer } from './fuzz-response.ts'

const ANSWER_MS_MAX = 10_000

/** One connection, kept open between requests; the bytes of a request are sent unchanged. */
export class Connection implements Disposable {
  readonly #hostname: string
  readonly #port: number
  #socket: Socket | undefined
  #rest: Uint8Array = new Uint8Array()
  #reader = new AnswerReader('GET')
  #answered: ((response: FuzzResponse) => void) | undefined

  constructor({ hostname, port }: URL) {
    this.#hostname = hostname.replaceAll(/[[\]]/g, '')
    this.#port = Number(port || 80)
  }

  /** Sends one request and reads its response; the status is 0 if there was none within 10 seconds. */
  async send(method: string, bytes: Uint8Array): Promise<FuzzResponse> {
    const socket = this.#socket ?? (await this.#connect())
    if (!socket) return noAnswer('nothing listens')
    const late = setTimeout(() => this.#fail('no response within 10 seconds'), ANSWER_MS_MAX)
    const response = await new Promise<FuzzResponse>(resolve => {
      this.#answered = resolve
      this.#reader = new AnswerReader(method)
      this.#rest = bytes
      this.#write(socket)
    })
    clearTimeout(late)
    if (response.headers.get('connection') === 'close') this.#leave()
    return response
  }

  [Symbol.dispose](): void {
    this.#leave()
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
        if (socket === this.#socket) this.#take(chunk)
      },
      drain: socket => this.#write(socket),
      close: socket => {
        if (socket === this.#socket) this.#fail('the connection was closed')
      },
      error: (_, error) => this.#fail(error.message),
    }
  }

  #write(socket: Socket): void {
    if (this.#rest.length === 0) return
    this.#rest = this.#rest.subarray(Math.max(0, socket.write(this.#rest)))
  }

  #take(chunk: Uint8Array): void {
    const response = this.#reader.take(chunk)
    if (response) this.#settle(response)
  }

  #fail(reason: string): void {
    this.#leave()
    this.#settle(noAnswer(reason))
  }

  #settle(response: FuzzResponse): void {
    const answered = this.#answered
    this.#answered = undefined
    answered?.(response)
  }

  #leave(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.terminate()
  }
}
