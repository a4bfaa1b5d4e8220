/** One parsed part of a stream of server-sent events. */
export type StreamPart =
  | { readonly kind: 'event'; readonly data: string }
  /** The position to resume from, with or without an event. */
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'retry'; readonly ms: number }

/** Parses a stream of server-sent events (WHATWG HTML, section 9.2.6) part by part, until it ends. */
export async function* readEventStream(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<StreamPart> {
  let data: string[] = []
  let id: string | undefined
  for await (const line of linesOf(bytes)) {
    if (line === '') {
      // The id is yielded after the data: a position must never be ahead of the events that were handled.
      if (data.length > 0) yield { kind: 'event', data: data.join('\n') }
      if (id !== undefined) yield { kind: 'id', id }
      data = []
      id = undefined
      continue
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d+$/.test(value)) yield { kind: 'retry', ms: Number(value) }
  }
}

/** Splits a stream into lines, which end with LF, CR or both. An unterminated line is not yielded. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split(/\r\n|\n|\r(?!\n|$)/)
    rest = lines.pop() ?? ''
    yield* lines
  }
}
