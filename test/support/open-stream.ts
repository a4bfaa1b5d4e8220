import { ADMIN_KEY } from './store.ts'

/** A block of a stream of server-sent events, between two empty lines: the text of each field, by its name. */
export type Block = Readonly<Record<string, string>>

/** One stream of a store, read block by block. Disposing it closes the connection. */
export interface OpenStream extends AsyncDisposable {
  readonly reply: Response
  /** Returns the next block; undefined if the stream has ended. Throws if the connection was broken. */
  next(): Promise<Block | undefined>
  /** Returns the next block that is an event; undefined if the stream has ended. */
  event(): Promise<Block | undefined>
}

/** Opens a stream and reads its first block. Throws unless the status is 200 and there is a block. */
export async function openStream(
  base: string,
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<OpenStream & { readonly first: Block }> {
  const stopped = new AbortController()
  const reply = await fetch(`${base}/events/stream${query}`, {
    headers: { Authorization: `Bearer ${ADMIN_KEY}`, ...headers },
    signal: stopped.signal,
  })
  if (reply.status !== 200 || !reply.body) throw new Error(`${reply.status} ${await reply.text()}`)
  const blocks = blocksOf(reply.body)
  const next = async (): Promise<Block | undefined> => (await blocks.next()).value
  const first = await next()
  if (!first) throw new Error('the stream ended at once')
  return {
    reply,
    first,
    next,
    event: async () => {
      for (let block = await next(); block; block = await next()) if ('data' in block) return block
      return undefined
    },
    [Symbol.asyncDispose]: async () => stopped.abort(),
  }
}

async function* blocksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Block, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const texts = rest.split('\n\n')
    rest = texts.pop() ?? ''
    for (const text of texts) yield blockOf(text)
  }
  return undefined
}

function blockOf(text: string): Block {
  return Object.fromEntries(
    text.split('\n').map(line => {
      const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
      return [name === '' ? 'comment' : name, value]
    }),
  )
}
