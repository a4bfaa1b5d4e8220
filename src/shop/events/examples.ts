import { sequenceText } from '../../values/sequence.ts'
import { type EventType, TEST_TYPE } from '../log/event-types.ts'
import type { Event } from './schema.ts'

/** An event as an example. Ids are numbers here, as they appear in JSON. */
type EventExample = Omit<Event, 'type' | 'data'> & { readonly type: string; readonly data: object }

const bramble = { id: 4, name: 'Bramble (Border Terrier)', categoryId: 1, status: 'pending', price: 93000 }
const juniper = { id: 350, name: 'Juniper (Whippet)', categoryId: 1, status: 'available', price: 45000 }
const ferrets = { id: 17, name: 'Ferrets', description: 'Hobs and jills, handled daily.' }
const shipDate = '2026-12-01T09:30:00Z'
const createdAt = '2026-11-21T09:30:00.120Z'
const firstOrder = {
  id: 1,
  petId: 3,
  quantity: 1,
  shipDate,
  complete: false,
  reference: 'R-2026-0042',
  createdAt,
  petName: 'Biscuit (Beagle)',
  unitPrice: 69000,
}
const completedOrder = {
  ...firstOrder,
  shipDate: '2026-12-02T09:30:00Z',
  complete: true,
  completedAt: createdAt,
  receipt: 1,
}
const returnedOrder = { ...completedOrder, returned: 1 }
const secondOrder = {
  id: 4,
  petId: 350,
  quantity: 1,
  shipDate,
  complete: false,
  createdAt,
  petName: 'Juniper (Whippet)',
  unitPrice: 45000,
}
const webhook = {
  id: 1,
  url: 'https://till.example/petstore-events',
  types: ['petstore.order.placed', 'petstore.inventory.changed'],
  description: 'Prints pick lists.',
}
const enabled = { ...webhook, enabled: true, createdAt: '2026-11-21T09:30:00.120Z' }
const disabledWebhook = {
  ...webhook,
  url: 'https://till.example',
  enabled: false,
  disabledReason: 'gone',
  failingSince: '2026-11-21T09:30:00.120Z',
  createdAt: '2026-11-21T09:30:00.120Z',
}
const stock = { petId: 3, quantity: 1, status: 'pending', reserved: 1 }

/** One event of each type. All come from one session that a test runs with the demo shop. */
export const eventExamples: Readonly<Record<EventType | typeof TEST_TYPE, EventExample>> = {
  'petstore.pet.created': event(718, 'petstore.pet.created', 'pets/350', juniper),
  'petstore.pet.updated': event(724, 'petstore.pet.updated', 'pets/4', bramble),
  'petstore.pet.deleted': event(749, 'petstore.pet.deleted', 'pets/350', juniper),
  'petstore.category.created': event(717, 'petstore.category.created', 'categories/17', ferrets),
  'petstore.category.updated': event(727, 'petstore.category.updated', 'categories/1', {
    id: 1,
    name: 'Dogs',
  }),
  'petstore.category.deleted': event(750, 'petstore.category.deleted', 'categories/17', ferrets),
  'petstore.order.placed': event(721, 'petstore.order.placed', 'orders/1', firstOrder),
  'petstore.order.updated': event(745, 'petstore.order.updated', 'orders/4', secondOrder),
  'petstore.order.completed': event(752, 'petstore.order.completed', 'orders/1', completedOrder),
  'petstore.order.returned': event(754, 'petstore.order.returned', 'orders/1', returnedOrder),
  'petstore.order.cancelled': event(747, 'petstore.order.cancelled', 'orders/4', secondOrder),
  'petstore.inventory.changed': event(720, 'petstore.inventory.changed', 'inventory/3', stock),
  'petstore.webhook.disabled': event(733, 'petstore.webhook.disabled', 'webhooks/1', disabledWebhook),
  [TEST_TYPE]: event(730, TEST_TYPE, 'webhooks/1', enabled),
}

/** The first blocks of a stream of events. */
export const streamExample = [
  'retry: 1000\nid: 720\n\n',
  `id: 721\nevent: petstore.order.placed\ndata: ${JSON.stringify(eventExamples['petstore.order.placed'])}\n\n`,
  ': alive\nid: 721\n\n',
].join('')

function event(position: number, type: EventExample['type'], subject: string, data: object): EventExample {
  return {
    specversion: '1.0',
    id: String(position),
    source: 'http://127.0.0.1:8080',
    type,
    subject,
    time: '2026-11-21T09:30:00.120Z',
    datacontenttype: 'application/json',
    sequence: sequenceText(BigInt(position)),
    data,
  }
}
