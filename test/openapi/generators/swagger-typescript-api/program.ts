import { Api, type Event, type FeedEventType, type Error as Refusal } from './petstore'
import { session } from './session'

declare const process: { argv: string[] }
const [, , base = '', key = '', samples = ''] = process.argv
const api = new Api({ baseUrl: base, baseApiParams: { headers: { Authorization: `Bearer ${key}` } } })

/** Returns the typed error of a refused call. The promise of such a call rejects with the response. */
async function errorOf(call: Promise<unknown>): Promise<Refusal> {
  try {
    await call
  } catch (response) {
    // Safe: for a response of a store, the client rejects only with its own HttpResponse.
    return (response as { error: Refusal }).error
  }
  throw new globalThis.Error('the call succeeded')
}

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
    listPets: async () => (await api.pets.listPets({ limit: 2 })).data,
    createPet: async name => (await api.pets.createPet({ name, categoryId: 1 })).data,
    placeOrder: async petId => (await api.store.placeOrder({ petId })).data,
    refusedOrder: petId => errorOf(api.store.placeOrder({ petId })),
    messageOfMissingPet: async id => (await errorOf(api.pets.getPet(id))).message,
    firstEvent: async type => {
      // Safe: the session passes only event types of the feed.
      const [event] = (await api.events.listEvents({ type: [type as FeedEventType], limit: 1 })).data
      return event ? nounOf(event) : 'none'
    },
    // Safe: the samples are events.
    nounOf: event => nounOf(event as Event),
    readEvent: json => json,
    readPet: json => json,
  },
  samples,
)
