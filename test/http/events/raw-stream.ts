import { connect } from 'node:net'
import { ADMIN_KEY } from '../../support/store.ts'

/** A stream over a raw connection; the test controls how much the client reads. */
export interface RawStream extends Disposable {
  /** The positions of the events that have been received completely. */
  readonly positions: readonly bigint[]
  /** Returns the number of bytes that have been received. */
  readonly bytes: () => number
  read(): void
  pause(): void
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>
}

export async function openRawStream(base: string, after: bigint): Promise<RawStream> {
  const { hostname, port } = new URL(base)
  const socket = connect({ host: hostname, port: Number(port) })
  const closed = Promise.withResolvers<void>()
  const positions: bigint[] = []
  const chunks = new ChunkReader()
  let bytes = 0
  let rest = ''
  socket.on('close', () => closed.resolve())
  socket.on('error', () => socket.destroy())
  socket.on('data', (data: Buffer) => {
    bytes += data.length
    rest += chunks.take(data)
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const id = /^id: (\d+)\nevent: /.exec(block)?.[1]
      if (id !== undefined) positions.push(BigInt(id))
    }
  })
  const connected = Promise.withResolvers<void>()
  socket.on('connect', connected.resolve)
  closed.promise.then(() => connected.reject(new Error('the connection was refused')))
  await connected.promise
  const fields = [`Host: ${hostname}:${port}`, `Authorization: Bearer ${ADMIN_KEY}`]
  socket.write(`GET /events/stream?after=${after} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
  return {
    positions,
    bytes: () => bytes,
    read: () => socket.resume(),
    pause: () => socket.pause(),
    closed: closed.promise,
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/** Removes the head of the response and the framing of its chunks (RFC 9112, section 7.1) from the received bytes. */
class ChunkReader {
  #inHead = true
  #left = 0
  #framing = ''

  /** Returns the part of the body that these bytes contain, one character per byte. */
  take(data: Buffer): string {
    let text = data.toString('latin1')
    let body = ''
    while (text !== '') {
      const taken = Math.min(this.#left, text.length)
      body += text.slice(0, taken)
      text = text.slice(taken)
      this.#left -= taken
      if (this.#left === 0) text = this.#readFraming(text)
    }
    return body
  }

  #readFraming(text: string): string {
    this.#framing += text
    const end = this.#inHead ? /^.*?\r\n\r\n/s : /^(?:\r\n)?([0-9a-f]+)\r\n/i
    const match = end.exec(this.#framing)
    if (!match) return ''
    const rest = this.#framing.slice(match[0].length)
    this.#framing = ''
    if (this.#inHead) this.#inHead = false
    else this.#left = Number.parseInt(match[1] ?? '0', 16)
    return rest
  }
}
