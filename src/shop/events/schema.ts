import { z } from 'zod'
import { constantNames } from '../../values/constant-names.ts'
import { instant } from '../../values/instant.ts'
import { SEQUENCE_DIGITS } from '../../values/sequence.ts'
import { Category } from '../categories/schema.ts'
import { InventoryItem } from '../inventory/schema.ts'
import { TEST_TYPE } from '../log/event-types.ts'
import { Order, orderExample } from '../orders/schema.ts'
import { Pet } from '../pets/schema.ts'
import { Webhook } from '../webhooks/schema.ts'

const id = z.string().meta({
  description: 'The id of the event: the same in the feed, in the stream and in every delivery.',
  pattern: '^[0-9]+$',
  maxLength: 19,
  example: '721',
})
/** The kinds of resources that events are about: a subject is one of these, a slash and an id. */
export const subjectKinds = ['pets', 'categories', 'orders', 'inventory', 'webhooks', 'keys'] as const
const SUBJECT = /^(pets|categories|orders|inventory|webhooks|keys)\/[1-9][0-9]{0,18}$/

/** The schema of a subject in a request. */
export const namedSubject = z
  .string()
  .regex(SUBJECT)
  .max(30)
  .meta({ pattern: SUBJECT.source.replace('\\/', '/'), example: 'orders/1' })

export const subject = z.string().meta({
  description: 'The resource that the event is about: its kind and id.',
  maxLength: 64,
  example: 'orders/1',
})
export const time = instant.meta({
  description: 'When the event happened.',
  example: '2026-11-21T09:30:00.120Z',
})

const envelope = {
  specversion: z.string().meta({
    description: 'The version of CloudEvents.',
    pattern: '^1\\.0$',
    maxLength: 3,
    example: '1.0',
  }),
  id,
  source: z.string().meta({
    description: 'The base URL of the store.',
    format: 'uri',
    maxLength: 2048,
    example: 'http://127.0.0.1:8080',
  }),
  subject,
  time,
  datacontenttype: z.string().meta({
    description: 'The media type of `data`.',
    pattern: '^application/json$',
    maxLength: 16,
    example: 'application/json',
  }),
  sequence: z.string().meta({
    description:
      'The position of the event: a decimal number with leading zeros, so that string order is numeric order.',
    pattern: `^[0-9]{${SEQUENCE_DIGITS}}$`,
    maxLength: SEQUENCE_DIGITS,
    example: '0000000000000000721',
  }),
}

const envelopeExample = {
  specversion: '1.0',
  id: '721',
  source: 'http://127.0.0.1:8080',
  time: '2026-11-21T09:30:00.120Z',
  datacontenttype: 'application/json',
  sequence: '0000000000000000721',
}

/**
 * Returns the schema of the event types of one kind of resource. It is not a component: swagger-typescript-api turns
 * components into enums, which never equal a literal of the discriminator.
 */
export function typeSchema<const T extends readonly string[]>(types: T) {
  return z.enum(types).meta({
    description: 'The type of the event.',
    example: types[0],
    ...constantNames(types),
  })
}

export const dataText =
  '`data` is the resource after the change; for `deleted` and `cancelled`, its last state.'

const petTypes = ['petstore.pet.created', 'petstore.pet.updated', 'petstore.pet.deleted'] as const
const categoryTypes = [
  'petstore.category.created',
  'petstore.category.updated',
  'petstore.category.deleted',
] as const
const orderTypes = [
  'petstore.order.placed',
  'petstore.order.updated',
  'petstore.order.completed',
  'petstore.order.cancelled',
] as const
const inventoryTypes = ['petstore.inventory.changed'] as const
export const webhookTypes = ['petstore.webhook.disabled', TEST_TYPE] as const
export const PetEventType = typeSchema(petTypes)
export const CategoryEventType = typeSchema(categoryTypes)
export const OrderEventType = typeSchema(orderTypes)
export const InventoryEventType = typeSchema(inventoryTypes)
const WebhookEventType = typeSchema(webhookTypes)
export const petExample = { id: 3, name: 'Biscuit (Beagle)', categoryId: 1, status: 'available' }
export const categoryExample = { id: 1, name: 'Dogs' }
export const itemExample = { petId: 3, quantity: 1, status: 'pending', reserved: 1 }
export const webhookExample = {
  id: 1,
  url: 'https://till.example',
  enabled: false,
  disabledReason: 'gone',
  createdAt: '2026-11-21T09:30:00.120Z',
}
/** Returns the schema of an event or an audit entry about one kind of resource: shared members, types and data. */
export function eventSchema<M extends z.ZodRawShape, T extends z.ZodType, D extends z.ZodType>(
  members: M,
  type: T,
  data: D,
  meta: { readonly id: string; readonly description: string; readonly example: object },
) {
  return z.object({ ...members, type, data }).meta(meta)
}

function eventMeta(id: string, resource: string, type: string, subjectText: string, data: object) {
  return {
    id,
    description: `An event about ${resource}. ${dataText}`,
    example: { ...envelopeExample, subject: subjectText, type, data },
  }
}

const PetEvent = eventSchema(
  envelope,
  PetEventType,
  Pet,
  eventMeta('PetEvent', 'a pet', 'petstore.pet.created', 'pets/3', petExample),
)
const CategoryEvent = eventSchema(
  envelope,
  CategoryEventType,
  Category,
  eventMeta('CategoryEvent', 'a category', 'petstore.category.created', 'categories/1', categoryExample),
)
const OrderEvent = eventSchema(
  envelope,
  OrderEventType,
  Order,
  eventMeta('OrderEvent', 'an order', 'petstore.order.placed', 'orders/1', orderExample),
)
const InventoryEvent = eventSchema(
  envelope,
  InventoryEventType,
  InventoryItem,
  eventMeta('InventoryEvent', 'the stock of a pet', 'petstore.inventory.changed', 'inventory/3', itemExample),
)
const WebhookEvent = eventSchema(
  envelope,
  WebhookEventType,
  Webhook,
  eventMeta('WebhookEvent', 'a webhook', 'petstore.webhook.disabled', 'webhooks/1', webhookExample),
)

/** The schema of each event type that is sent: the types of the feed, and the test event. */
export const eventSchemas = {
  'petstore.pet.created': PetEvent,
  'petstore.pet.updated': PetEvent,
  'petstore.pet.deleted': PetEvent,
  'petstore.category.created': CategoryEvent,
  'petstore.category.updated': CategoryEvent,
  'petstore.category.deleted': CategoryEvent,
  'petstore.order.placed': OrderEvent,
  'petstore.order.updated': OrderEvent,
  'petstore.order.completed': OrderEvent,
  'petstore.order.cancelled': OrderEvent,
  'petstore.inventory.changed': InventoryEvent,
  'petstore.webhook.disabled': WebhookEvent,
  [TEST_TYPE]: WebhookEvent,
} as const

export const Event = z
  .discriminatedUnion('type', [PetEvent, CategoryEvent, OrderEvent, InventoryEvent, WebhookEvent])
  .meta({
    id: 'Event',
    description:
      'An event in the JSON format of CloudEvents 1.0, with the extension `sequence`. Its `type` determines its schema. Later versions may add types: request those you know with `type=`, and ignore others.',
    example: {
      ...envelopeExample,
      type: 'petstore.order.placed',
      subject: 'orders/1',
      data: orderExample,
    },
  })
export type Event = z.output<typeof Event>
