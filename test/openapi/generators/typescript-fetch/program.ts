import {
  Configuration,
  type Event,
  EventFromJSON,
  EventsApi,
  FeedEventTypeFromJSON,
  PetFromJSON,
  PetsApi,
  ResponseError,
  StoreApi,
} from './client/index'
import { session } from './session'

declare const process: { argv: string[] }
const [, , base = '', key = '', samples = ''] = process.argv
const configuration = new Configuration({ basePath: base, accessToken: key })
const pets = new PetsApi(configuration)
const store = new StoreApi(configuration)
const events = new EventsApi(configuration)

/** Returns the body of the error with which a call fails. */
async function errorOf(call: Promise<unknown>): Promise<{ code: string; status: number; message: string }> {
  try {
    await call
  } catch (error) {
    if (error instanceof ResponseError) return await error.response.json()
    throw error
  }
  throw new Error('the call succeeded')
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
    listPets: () => pets.listPets({ limit: 2 }),
    createPet: name => pets.createPet({ newPet: { name, categoryId: 1 } }),
    placeOrder: petId => store.placeOrder({ newOrder: { petId } }),
    refusedOrder: petId => errorOf(store.placeOrder({ newOrder: { petId } })),
    messageOfMissingPet: async petId => (await errorOf(pets.getPet({ petId }))).message,
    firstEvent: async type => {
      const [event] = await events.listEvents({ type: [FeedEventTypeFromJSON(type)], limit: 1 })
      return event ? nounOf(event) : 'none'
    },
    // Safe: the samples are events.
    nounOf: event => nounOf(event as Event),
    readEvent: EventFromJSON,
    readPet: PetFromJSON,
  },
  samples,
)
