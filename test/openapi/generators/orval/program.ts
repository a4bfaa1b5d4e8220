import {
  createPet,
  type Event,
  type FeedEventType,
  getPet,
  listEvents,
  listPets,
  placeOrder,
} from './petstore'
import { session } from './session'

declare const process: { argv: string[] }
const [, , base = '', key = '', samples = ''] = process.argv
const options: RequestInit = { headers: { Authorization: `Bearer ${key}` } }

// The client requests relative URLs, which work only in a page of the store. This program resolves them with the base
// address.
const { fetch: plain } = globalThis
globalThis.fetch = Object.assign(
  (url: string | URL | Request, init?: RequestInit) => plain(new URL(String(url), base), init),
  plain,
)

/** Compiles only if the union narrows by its discriminator. */
function nounOf(event: Event): string {
  switch (event.type) {
    case 'petstore.pet.created':
      return event.data.name ? 'pet' : ''
    case 'petstore.category.created':
      return event.data.name ? 'category' : ''
    case 'petstore.order.placed':
      return event.data.petId ? 'order' : ''
    case 'petstore.inventory.changed':
      return event.data.status ? 'inventory' : ''
    case 'petstore.webhook.disabled':
      return event.data.url ? 'webhook' : ''
    default:
      return event.type
  }
}

await session(
  {
    listPets: async () => {
      const { status, data } = await listPets({ limit: 2 }, options)
      return status === 200 ? data : undefined
    },
    createPet: async name => {
      const { status, data } = await createPet({ name, categoryId: 1 }, options)
      return status === 201 ? data : undefined
    },
    placeOrder: async petId => {
      const { status, data } = await placeOrder({ petId }, options)
      return status === 201 ? data : undefined
    },
    refusedOrder: async petId => {
      const { status, data } = await placeOrder({ petId }, options)
      return status === 409 ? data : undefined
    },
    messageOfMissingPet: async id => {
      const { status, data } = await getPet(id, options)
      return status === 404 ? data.message : undefined
    },
    firstEvent: async type => {
      // Safe: the session passes only event types of the feed.
      const { status, data } = await listEvents({ type: [type as FeedEventType], limit: 1 }, options)
      return status === 200 && data[0] ? nounOf(data[0]) : 'none'
    },
    // Safe: the samples are events.
    nounOf: event => nounOf(event as Event),
    readEvent: json => json,
    readPet: json => json,
  },
  samples,
)
