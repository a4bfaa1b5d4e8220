import createClient from 'openapi-fetch'
import { session } from './session'
import type { components, paths } from './types'

type Event = components['schemas']['Event']
type FeedEventType = components['schemas']['FeedEventType']

declare const process: { argv: string[] }
const [, , base = '', key = '', samples = ''] = process.argv
const api = createClient<paths>({ baseUrl: base, headers: { Authorization: `Bearer ${key}` } })

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
    listPets: async () => (await api.GET('/pets', { params: { query: { limit: 2 } } })).data,
    createPet: async name => (await api.POST('/pets', { body: { name, categoryId: 1 } })).data,
    placeOrder: async petId => (await api.POST('/store/orders', { body: { petId } })).data,
    refusedOrder: async petId => (await api.POST('/store/orders', { body: { petId } })).error,
    messageOfMissingPet: async petId =>
      (await api.GET('/pets/{petId}', { params: { path: { petId } } })).error?.message,
    firstEvent: async type => {
      // Safe: the session passes only event types of the feed.
      const query = { type: [type as FeedEventType], limit: 1 }
      const { data } = await api.GET('/events', { params: { query } })
      return data?.[0] ? nounOf(data[0]) : 'none'
    },
    // Safe: the session passes only a sample of an event.
    nounOf: event => nounOf(event as Event),
    readEvent: json => json,
    readPet: json => json,
  },
  samples,
)
