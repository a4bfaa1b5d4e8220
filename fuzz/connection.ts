import type { Socket, SocketHandler } from 'bun'
import { type Answer, AnswerReader, noAnswer } from './answer.ts'

const ANSWER_MS_MAX = 10_000

/** One connection, kept open between requests; the bytes of a request are sent unchanged. */
export class Connection implements Disposable {
  readonly #hostname: string
  readonly #port: number
  #socket: Socket | undefined
  #rest: Uint8Array = new Uint8Array()
  #reader = new AnswerReader('GET')
  #answered: ((answer: Answer) => void) | undefined

  constructor({ hostname, port }: URL) {
    this.#hostname = hostname.replaceAll(/[[\]]/g, '')
    this.#port = Number(port || 80)
  }

  /** Sends one request and reads its response; the status is 0 if there was none within 10 seconds. */
  async send(method: string, bytes: Uint8Array): Promise<Answer> {
    const socket = this.#socket ?? (await this.#connect())
    if (!socket) return noAnswer('nothing listens')
    const late = setTimeout(() => this.#fail('no response within 10 seconds'), ANSWER_MS_MAX)
    const answer = await new Promise<Answer>(resolve => {
      this.#answered = resolve
      this.#reader = new AnswerReader(method)
      this.#rest = bytes
      this.#write(socket)
    })
    clearTimeout(late)
    if (answer.headers.get('connection') === 'close') this.#leave()
    return answer
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
    const answer = this.#reader.take(chunk)
    if (answer) this.#settle(answer)
  }

  #fail(reason: string): void {
    this.#leave()
    this.#settle(noAnswer(reason))
  }

  #settle(answer: Answer): void {
    const answered = this.#answered
    this.#answered = undefined
    answered?.(answer)
  }

  #leave(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.terminate()
  }
}
