import { createParser } from 'eventsource-parser'
import { Event } from '../../../src/shop/events/schema.ts'
import type { EventType } from '../../../src/shop/log/event-types.ts'
import { parseJson } from '../../../src/values/json.ts'
import { LAST_NAME } from '../../support/busy-shop.ts'
import { followEvents, makeClient } from '../../support/client.ts'
import { type ReceivedEvent, receivedEvent } from '../../support/received-events.ts'
import type { Seeded } from '../../support/seeded.ts'

// Consumers that are cut, or lose `next`, at random. Each resumes after the last event that it handled.

/** The events that one consumer received, and the number of its disconnections (`cuts`). */
export interface ReadEvents {
  readonly received: ReceivedEvent[]
  cuts: number
}

export interface CutOptions {
  readonly base: string
  readonly key: string
  readonly random: Seeded
  /** The average number of events between two disconnections. */
  readonly stride: number
  readonly types?: readonly EventType[]
}

/** Reads the feed, and waits at its end. A disconnection loses the response to the current request. */
export async function readWaiting({ base, key, random, stride, types }: CutOptions): Promise<ReadEvents> {
  const client = makeClient({ base, key })
  const read: ReadEvents = { received: [], cuts: 0 }
  for (let untilCut = random.below(2 * stride); ; ) {
    const input = { after: lastOf(read), type: types, limit: 1 + random.below(100), wait: 5 }
    if (untilCut <= 0) {
      await abortRequest(signal => client.listEvents(input, { signal }), base)
      read.cuts++
      untilCut = random.below(2 * stride)
      continue
    }
    const { data } = await client.listEvents(input)
    for (const event of data.items) if (handle(read, event)) return read
    untilCut -= data.items.length
  }
}

/**
 * Reads the feed by its `next` links. Instead of being disconnected, this consumer loses its current `next` link, like
 * a client that was restarted.
 */
export async function readByLinks({ base, key, random, stride, types }: CutOptions): Promise<ReadEvents> {
  const client = makeClient({ base, key })
  const read: ReadEvents = { received: [], cuts: 0 }
  let next: bigint | undefined
  for (let untilCut = random.below(2 * stride); ; ) {
    const { data } = await client.listEvents({ after: next, type: types, limit: 1 + random.below(100) })
    for (const event of data.items) if (handle(read, event)) return read
    next = BigInt(data.next ?? '0')
    untilCut -= data.items.length
    if (untilCut > 0) continue
    next = lastOf(read)
    read.cuts++
    untilCut = random.below(2 * stride)
  }
}

/**
 * Follows the stream with the client. A disconnection aborts the client; events that the client yields after that are
 * also handled.
 */
export async function follow({ base, key, random, stride, types }: CutOptions): Promise<ReadEvents> {
  const read: ReadEvents = { received: [], cuts: 0 }
  for (;;) {
    const cut = new AbortController()
    let untilCut = random.below(2 * stride)
    for await (const event of followEvents(
      { base, key },
      { after: lastOf(read), types, signal: cut.signal },
    )) {
      if (handle(read, event)) return read
      if (untilCut-- <= 0) cut.abort()
    }
    read.cuts++
  }
}

/**
 * Reads the bytes of the stream with an independent parser. A disconnection can occur anywhere, even within an event.
 */
export async function readBytes({ base, key, random, stride, types = [] }: CutOptions): Promise<ReadEvents> {
  const read: ReadEvents = { received: [], cuts: 0 }
  const query = types.map(type => `&type=${type}`).join('')
  for (;;) {
    const cut = new AbortController()
    const reply = await fetch(`${base}/events/stream?after=${lastOf(read)}${query}`, {
      headers: { Authorization: `Bearer ${key}` },
      signal: cut.signal,
    })
    if (!reply.ok || !reply.body) throw new Error(`the stream was refused: ${await reply.text()}`)
    let untilCut = random.below(2 * stride)
    let isOver = false
    const parser = createParser({
      onEvent: ({ data, id, event: type }) => {
        const event = Event.parse(parseJson(data))
        if (BigInt(event.sequence) !== BigInt(id ?? -1) || event.type !== type)
          throw new Error('the id or the type differs from the event')
        if (!isOver) isOver = handle(read, event)
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
    if (isOver) return read
    read.cuts++
  }
}

/** Records an event, and returns whether it is the event that marks the end. */
function handle({ received }: ReadEvents, event: Event): boolean {
  received.push(receivedEvent(event))
  return event.type === 'petstore.category.created' && 'name' in event.data && event.data.name === LAST_NAME
}

function lastOf({ received }: ReadEvents): bigint {
  return received.at(-1)?.position ?? 0n
}

/** Starts a request, and aborts it, whatever its stage, once another request has its response. */
async function abortRequest(send: (signal: AbortSignal) => Promise<unknown>, base: string): Promise<void> {
  const cut = new AbortController()
  const sent = send(cut.signal).catch(error => {
    if (!cut.signal.aborted) throw error
  })
  await fetch(`${base}/livez`)
  cut.abort()
  await sent
}
