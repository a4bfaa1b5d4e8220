import { createParser } from 'eventsource-parser'
import { makeClient } from '../../src/client/client.ts'
import { followEvents } from '../../src/client/follow-events.ts'
import { Event } from '../../src/model/event.ts'
import type { EventType } from '../../src/model/event-type.ts'
import { readJsonText } from '../../src/model/json.ts'
import { LAST_NAME } from '../support/busy-shop.ts'
import { type Heard, heardOf } from '../support/heard.ts'
import type { Seeded } from '../support/seeded.ts'

// Readers that are cut off at random and resume after the last event they handled, until they hear of the last one.

/** What one reader was told, and how often it was cut off. */
export interface Told {
  readonly heard: Heard[]
  cuts: number
}

export interface CutOptions {
  readonly base: string
  readonly key: string
  readonly random: Seeded
  /** Events between two cuts, on average. */
  readonly stride: number
  readonly types?: readonly EventType[]
}

/** Reads the feed, waiting at its end; a cut loses the answer to a request that is under way. */
export async function readWaiting({ base, key, random, stride, types }: CutOptions): Promise<Told> {
  const client = makeClient({ base, key })
  const told: Told = { heard: [], cuts: 0 }
  for (let untilCut = random.below(2 * stride); ; ) {
    const input = { after: lastOf(told), type: types, limit: 1 + random.below(100), wait: 5 }
    if (untilCut <= 0) {
      await cutShort(signal => client.listEvents(input, { signal }), base)
      told.cuts++
      untilCut = random.below(2 * stride)
      continue
    }
    const { data } = await client.listEvents(input)
    for (const event of data.items) if (handle(told, event)) return told
    untilCut -= data.items.length
  }
}

/** Reads the feed by its `next` links; a cut forgets the link. */
export async function readByLinks({ base, key, random, stride, types }: CutOptions): Promise<Told> {
  const client = makeClient({ base, key })
  const told: Told = { heard: [], cuts: 0 }
  let next: bigint | undefined
  for (let untilCut = random.below(2 * stride); ; ) {
    const { data } = await client.listEvents({ after: next, type: types, limit: 1 + random.below(100) })
    for (const event of data.items) if (handle(told, event)) return told
    next = BigInt(data.next ?? '0')
    untilCut -= data.items.length
    if (untilCut > 0) continue
    next = lastOf(told)
    told.cuts++
    untilCut = random.below(2 * stride)
  }
}

/** Follows the stream with the client; a cut aborts it, and what it hands on all the same is handled. */
export async function follow({ base, key, random, stride, types }: CutOptions): Promise<Told> {
  const told: Told = { heard: [], cuts: 0 }
  for (;;) {
    const cut = new AbortController()
    let untilCut = random.below(2 * stride)
    for await (const event of followEvents(
      { base, key },
      { after: lastOf(told), types, signal: cut.signal },
    )) {
      if (handle(told, event)) return told
      if (untilCut-- <= 0) cut.abort()
    }
    told.cuts++
  }
}

/** Reads the bytes of the stream with a parser that nobody here wrote; a cut comes anywhere, within an event too. */
export async function readBytes({ base, key, random, stride, types = [] }: CutOptions): Promise<Told> {
  const told: Told = { heard: [], cuts: 0 }
  const query = types.map(type => `&type=${type}`).join('')
  for (;;) {
    const cut = new AbortController()
    const reply = await fetch(`${base}/events/stream?after=${lastOf(told)}${query}`, {
      headers: { Authorization: `Bearer ${key}` },
      signal: cut.signal,
    })
    if (!reply.ok || !reply.body) throw new Error(`the stream was refused: ${await reply.text()}`)
    let untilCut = random.below(2 * stride)
    let isOver = false
    const parser = createParser({
      onEvent: ({ data, id, event: type }) => {
        const event = Event.parse(readJsonText(data))
        if (BigInt(event.sequence) !== BigInt(id ?? -1) || event.type !== type)
          throw new Error('id or type lie')
        if (!isOver) isOver = handle(told, event)
        untilCut--
      },
    })
    const decoder = new TextDecoder()
    for await (const chunk of reply.body) {
      const isCut = untilCut <= 0
      const bytes = isCut ? chunk.subarray(0, random.below(chunk.length)) : chunk
      parser.feed(decoder.decode(bytes, { stream: true }))
      if (isCut || isOver) break
    }
    cut.abort()
    if (isOver) return told
    told.cuts++
  }
}

/** Notes an event; answers whether it is the last. */
function handle({ heard }: Told, event: Event): boolean {
  heard.push(heardOf(event))
  return event.type === 'petstore.category.created' && 'name' in event.data && event.data.name === LAST_NAME
}

function lastOf({ heard }: Told): bigint {
  return heard.at(-1)?.position ?? 0n
}

/** Begins a request and drops it, wherever it is, when another one has been answered. */
async function cutShort(ask: (signal: AbortSignal) => Promise<unknown>, base: string): Promise<void> {
  const cut = new AbortController()
  const asked = ask(cut.signal).catch(error => {
    if (!cut.signal.aborted) throw error
  })
  await fetch(`${base}/livez`)
  cut.abort()
  await asked
}
