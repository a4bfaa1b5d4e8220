import { createPet, type Event, type FeedEventType, getPet, listEvents, listPets, placeOrder } from './sdk'
import { client } from './sdk/client.gen'
import { session } from './session'

declare const process: { argv: string[] }
const [, , base = '', key = '', samples = ''] = process.argv
client.setConfig({ baseUrl: base, auth: key })

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
    listPets: async () => (await listPets({ query: { limit: 2 } })).data,
    createPet: async name => (await createPet({ body: { name, categoryId: 1 } })).data,
    placeOrder: async petId => (await placeOrder({ body: { petId } })).data,
    refusedOrder: async petId => (await placeOrder({ body: { petId } })).error,
    messageOfMissingPet: async petId => (await getPet({ path: { petId } })).error?.message,
    firstEvent: async type => {
      // Safe: the session passes only event types of the feed.
      const { data } = await listEvents({ query: { type: [type as FeedEventType], limit: 1 } })
      return data?.[0] ? nounOf(data[0]) : 'none'
    },
    // Safe: the samples are events.
    nounOf: event => nounOf(event as Event),
    readEvent: json => json,
    readPet: json => json,
  },
  samples,
)
