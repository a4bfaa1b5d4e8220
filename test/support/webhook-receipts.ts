import type { Socket } from 'node:net'
import { readJson } from '../../src/contract/json-body.ts'
import { Event } from '../../src/shop/events/schema.ts'
import type { EventType } from '../../src/shop/log/event-types.ts'
import type { Delivery } from '../../src/shop/webhooks/delivery-schema.ts'
import { type ReceivedEvent, receivedEvent } from './received-events.ts'
import { type Received, type Receiver, type Responder, reply } from './receiver.ts'
import type { TestStore } from './store.ts'
import { until } from './until.ts'

/** The id and the secret of a webhook. */
export interface CreatedWebhook {
  readonly webhookId: bigint
  readonly secret: string
}

export async function createWebhook(
  { client }: Pick<TestStore, 'client'>,
  { base }: Pick<Receiver, 'base'>,
  types?: EventType[],
): Promise<CreatedWebhook> {
  const { data } = await client.createWebhook({ body: { url: `${base}/hook`, ...(types && { types }) } })
  return { webhookId: data.id, secret: data.secret }
}

/** Returns the event in a request. */
export function eventIn({ body }: Received): Event {
  return Event.parse(readJson(body))
}

/** Returns the received events, in the order of arrival. */
export function arrivals({ received }: Pick<Receiver, 'received'>): ReceivedEvent[] {
  return received.map(request => receivedEvent(eventIn(request)))
}

/** Returns received events in the order of positions. Up to four concurrent attempts can overtake one another. */
export function inOrder(received: readonly ReceivedEvent[]): ReceivedEvent[] {
  return received.toSorted((a, b) => Number(a.position - b.position))
}

/** Returns the name in each received event, in the order of positions. A repeated attempt repeats its name. */
export function namesIn(receiver: Pick<Receiver, 'received'>): string[] {
  const events = receiver.received.map(eventIn).toSorted((a, b) => a.sequence.localeCompare(b.sequence))
  return events.map(({ data }) => ('name' in data ? data.name : '(no name)'))
}

/** Creates a category for each name. Each category causes one event. */
export async function emitEvents({ client }: Pick<TestStore, 'client'>, ...names: string[]): Promise<void> {
  for (const name of names) await client.createCategory({ body: { name } })
}

export async function deliveriesOf(
  { client }: TestStore,
  { webhookId }: CreatedWebhook,
): Promise<Delivery[]> {
  return [...(await client.listDeliveries({ webhookId, limit: 100 })).data.items]
}

/** Resolves to the deliveries of a webhook that have this state, once there are at least `count`. */
export async function waitForDeliveries(
  store: TestStore,
  webhook: CreatedWebhook,
  state: Delivery['state'],
  count = 1,
): Promise<Delivery[]> {
  let found: Delivery[] = []
  await until(`${count} deliveries are ${state}`, async () => {
    found = (await deliveriesOf(store, webhook)).filter(delivery => delivery.state === state)
    return found.length >= count
  })
  return found
}

/** Resolves once `count` attempts of deliveries are stored. */
export async function waitForAttempts(
  { database }: Pick<TestStore, 'database'>,
  count: number,
): Promise<void> {
  await until(`${count} attempts are stored`, async () => {
    return (await database(`SELECT 1 FROM attempt LIMIT ${count}`)).length === count
  })
}

/** The responses of a receiver, held back until `release` is called. */
export interface HeldResponses {
  readonly responderOf: () => Responder
  /** Returns the maximum number of requests that waited for their response at the same time. */
  readonly concurrentMax: () => number
  readonly release: () => void
}

export function holdResponses(): HeldResponses {
  const held = new Set<Socket>()
  let concurrentMax = 0
  let isReleased = false
  return {
    responderOf: () => (socket, request) => {
      if (isReleased) return reply(204)(socket, request)
      held.add(socket)
      concurrentMax = Math.max(concurrentMax, held.size)
      socket.on('close', () => held.delete(socket))
    },
    concurrentMax: () => concurrentMax,
    release: () => {
      isReleased = true
      for (const socket of held) reply(204)(socket, noRequest)
    },
  }
}

/** A request without content: an argument for responders that ignore it, and a default for a missing request. */
export const noRequest: Received = { method: '', path: '', headers: {}, body: Buffer.alloc(0), arrivedMs: 0 }

/** Returns the fields of the logged errors, as JSON. A working store logs no error. */
export function loggedErrors({ logged }: TestStore): string[] {
  return logged.filter(({ level }) => level === 'error').map(({ fields }) => JSON.stringify(fields))
}
