import { contract, type OperationId } from '../shop/operations.ts'
import { orderExample } from '../shop/orders/schema.ts'
import { eventExamples } from './event-examples.ts'

const openingMovement = {
  id: 3,
  petId: 3,
  quantityChange: 1,
  reservedChange: 0,
  quantity: 1,
  reserved: 0,
  reason: 'opening',
  at: '2026-11-21T09:30:00.120Z',
}
const adjustmentMovement = {
  id: 335,
  petId: 3,
  quantityChange: 4,
  reservedChange: 0,
  quantity: 5,
  reserved: 1,
  reason: 'adjustment',
  note: 'Four came from the other shop.',
  at: '2026-11-21T09:30:00.120Z',
}

const disabledWebhook = {
  id: 1,
  url: 'https://till.example/petstore-events',
  types: ['petstore.order.placed', 'petstore.inventory.changed'],
  description: 'Prints pick lists.',
  enabled: false,
  disabledReason: 'gone',
  createdAt: '2026-11-21T09:30:00.120Z',
}
const delivery = {
  id: 1,
  eventId: '730',
  type: 'petstore.webhook.test',
  state: 'pending',
  attempts: [{ at: '2026-11-21T09:30:00.120Z', durationMs: 14, status: 500, reply: 'out of paper' }],
  createdAt: '2026-11-21T09:30:00.120Z',
}

/**
 * Response bodies of operations for which the example of the schema does not fit. They come from one session that a
 * test runs with the demo shop.
 */
const responses: Readonly<Partial<Record<OperationId, unknown>>> = {
  listPets: [
    { id: 1, name: 'Anansi (Rhodesian Ridgeback)', categoryId: 1, status: 'available' },
    { id: 2, name: 'Argos (Greyhound)', categoryId: 1, status: 'available' },
    { id: 3, name: 'Biscuit (Beagle)', categoryId: 1, status: 'available' },
  ],
  createPet: { id: 350, name: 'Juniper (Whippet)', categoryId: 1, status: 'available' },
  updatePet: { id: 4, name: 'Bramble (Border Terrier)', categoryId: 1, status: 'pending' },
  createCategory: { id: 17, name: 'Ferrets', description: 'Hobs and jills, handled daily.' },
  updateCategory: { id: 1, name: 'Dogs' },
  updateOrder: { ...orderExample, shipDate: '2026-12-02T09:30:00Z' },
  listInventory: [
    { petId: 1, quantity: 1, status: 'available', reserved: 0 },
    { petId: 2, quantity: 1, status: 'available', reserved: 0 },
  ],
  setInventory: { petId: 3, quantity: 12, status: 'available', reserved: 1 },
  adjustInventory: adjustmentMovement,
  listMovements: [
    openingMovement,
    {
      ...openingMovement,
      id: 334,
      quantityChange: 0,
      reservedChange: 1,
      reserved: 1,
      reason: 'order',
      orderId: 1,
    },
  ],
  listEvents: [eventExamples['petstore.order.placed']],
  rotateWebhookSecret: {
    ...disabledWebhook,
    secret: 'whsec_BAsSGSAnLjU8Q0pRWF9mbXR7gomQl56lrLO6wcjP1t0=',
    previousSecretUntil: '2026-11-22T09:30:00.120Z',
  },
  updateWebhook: disabledWebhook,
  redeliver: { ...delivery, nextAttemptAt: '2026-11-21T09:30:00.120Z' },
  listErrors: [
    { code: 'malformed_json', status: 400, meaning: 'The body is not one well-formed JSON text in UTF-8.' },
    { code: 'invalid_parameter', status: 400, meaning: 'A path, query or header parameter is not valid.' },
  ],
}

/** Returns the example request body of an operation; undefined if it takes no body. */
export function requestExample(id: OperationId): unknown {
  const operation = contract[id]
  return 'body' in operation ? operation.body.meta()?.example : undefined
}

/** Returns the example response body of an operation; undefined if its success is a stream or has no body. */
export function responseExample(id: OperationId): unknown {
  const { success } = contract[id]
  if (responses[id] !== undefined) return responses[id]
  if ('list' in success) return [success.list.meta()?.example]
  return 'resource' in success ? success.resource.meta()?.example : undefined
}
