import { z } from 'zod'
import { Category } from './category.ts'
import { constantNames } from './constant-names.ts'
import { TEST_TYPE } from './event-type.ts'
import { instant } from './instant.ts'
import { int64 } from './int64.ts'
import { InventoryItem } from './inventory.ts'
import { ApiKey } from './key.ts'
import { Order } from './order.ts'
import { Pet } from './pet.ts'
import { Webhook } from './webhook.ts'

const SEQUENCE_DIGITS = 19

const id = z.string().meta({
  description: 'The id of the event: the same wherever and however often it is sent.',
  pattern: '^[0-9]+$',
  maxLength: 19,
  example: '721',
})
const subject = z.string().meta({
  description: 'What it happened to: kind and id.',
  maxLength: 64,
  example: 'orders/1',
})
const time = instant.meta({ description: 'When it happened.', example: '2026-11-21T09:30:00.120Z' })

const envelope = {
  specversion: z.string().meta({
    description: 'The version of CloudEvents.',
    pattern: '^1\\.0$',
    maxLength: 3,
    example: '1.0',
  }),
  id,
  source: z.string().meta({
    description: 'The base address of the store.',
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
      'The position of the event: a decimal number with leading zeros, so that texts sort as numbers do.',
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

const auditMembers = {
  position: int64.meta({ description: 'The position of the entry in the audit log.', example: 727 }),
  subject,
  at: time,
  keyId: int64.optional().meta({
    description: 'The key that made the change; absent when the store made it itself.',
    example: 1,
  }),
  requestId: z.string().meta({
    description: 'The id of the request that made the change; the logs carry it too.',
    maxLength: 128,
    example: 'till-2.00042',
  }),
  hash: z.string().meta({
    description: 'SHA-256 over this entry and the hash of the one before, in base64url.',
    pattern: '^[A-Za-z0-9_-]{43}$',
    maxLength: 43,
    example: 'Tz1Zc0mRWBKsAVr9BLzYI2aJ0P0Ztz_n9jkWfOhDUkE',
  }),
}

const auditExample = {
  position: 727,
  at: '2026-11-21T09:30:00.120Z',
  keyId: 1,
  requestId: 'till-2.00042',
  hash: 'Tz1Zc0mRWBKsAVr9BLzYI2aJ0P0Ztz_n9jkWfOhDUkE',
}

/** The types of event about one kind of resource, as an enum with a name of its own. */
function typesOf<const T extends readonly string[]>(noun: string, types: T) {
  return z.enum(types).meta({
    id: `${noun}Type`,
    description: 'What happened.',
    example: types[0],
    ...constantNames(types),
  })
}

const dataText = 'The resource after the change; for `deleted` and `cancelled`, as it was last.'

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
const webhookTypes = ['petstore.webhook.disabled', TEST_TYPE] as const
const webhookAuditTypes = [
  ...webhookTypes,
  'petstore.webhook.created',
  'petstore.webhook.updated',
  'petstore.webhook.deleted',
  'petstore.webhook.secret-rotated',
  'petstore.webhook.redelivered',
] as const
const keyTypes = ['petstore.key.created', 'petstore.key.revoked'] as const

const PetEventType = typesOf('PetEvent', petTypes)
const CategoryEventType = typesOf('CategoryEvent', categoryTypes)
const OrderEventType = typesOf('OrderEvent', orderTypes)
const InventoryEventType = typesOf('InventoryEvent', inventoryTypes)
const WebhookEventType = typesOf('WebhookEvent', webhookTypes)
const WebhookAuditType = typesOf('WebhookAudit', webhookAuditTypes)
const KeyAuditType = typesOf('KeyAudit', keyTypes)

const petExample = { id: 3, name: 'Biscuit (Beagle)', categoryId: 1, status: 'available' }
const categoryExample = { id: 1, name: 'Dogs' }
const orderExample = { id: 1, petId: 3, quantity: 1, shipDate: '2026-12-01T09:30:00Z', complete: false }
const itemExample = { petId: 3, quantity: 1, status: 'pending', reserved: 1 }
const webhookExample = {
  id: 1,
  url: 'https://till.example',
  enabled: false,
  disabledReason: 'gone',
  createdAt: '2026-11-21T09:30:00.120Z',
}
const keyExample = {
  id: 2,
  name: 'till 2',
  scopes: ['orders:read', 'orders:write'],
  hint: 'mOYq',
  createdAt: '2026-11-21T09:30:00.120Z',
}

/** One schema of an event or an audit entry: the members that all share, with the types and the data of one resource. */
function about<M extends z.ZodRawShape, T extends z.ZodType, D extends z.ZodType>(
  members: M,
  type: T,
  data: D,
  meta: { readonly id: string; readonly description: string; readonly example: object },
) {
  return z.object({ ...members, type, data }).meta(meta)
}

function eventMeta(id: string, thing: string, type: string, subjectText: string, data: object) {
  return {
    id,
    description: `Something that happened to ${thing}. ${dataText}`,
    example: { ...envelopeExample, subject: subjectText, type, data },
  }
}

function auditMeta(id: string, thing: string, type: string, subjectText: string, data: object) {
  return {
    id,
    description: `A change of ${thing}, with who made it. ${dataText}`,
    example: { ...auditExample, subject: subjectText, type, data },
  }
}

const PetEvent = about(
  envelope,
  PetEventType,
  Pet,
  eventMeta('PetEvent', 'a pet', 'petstore.pet.created', 'pets/3', petExample),
)
const CategoryEvent = about(
  envelope,
  CategoryEventType,
  Category,
  eventMeta('CategoryEvent', 'a category', 'petstore.category.created', 'categories/1', categoryExample),
)
const OrderEvent = about(
  envelope,
  OrderEventType,
  Order,
  eventMeta('OrderEvent', 'an order', 'petstore.order.placed', 'orders/1', orderExample),
)
const InventoryEvent = about(
  envelope,
  InventoryEventType,
  InventoryItem,
  eventMeta('InventoryEvent', 'a stock', 'petstore.inventory.changed', 'inventory/3', itemExample),
)
const WebhookEvent = about(
  envelope,
  WebhookEventType,
  Webhook,
  eventMeta('WebhookEvent', 'a webhook', 'petstore.webhook.disabled', 'webhooks/1', webhookExample),
)

/** The schema of each type of event. */
export const eventOf = {
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
      'Something that happened, as CloudEvents 1.0 in JSON, with the extension `sequence`. Its `type` tells which schema it has. Later versions may add types: ask for those you know with `type=`, and ignore others.',
    example: {
      ...envelopeExample,
      type: 'petstore.order.placed',
      subject: 'orders/1',
      data: orderExample,
    },
  })
export type Event = z.output<typeof Event>

export const AuditEntry = z
  .discriminatedUnion('type', [
    about(
      auditMembers,
      PetEventType,
      Pet,
      auditMeta('PetAuditEntry', 'a pet', 'petstore.pet.created', 'pets/3', petExample),
    ),
    about(
      auditMembers,
      CategoryEventType,
      Category,
      auditMeta(
        'CategoryAuditEntry',
        'a category',
        'petstore.category.created',
        'categories/1',
        categoryExample,
      ),
    ),
    about(
      auditMembers,
      OrderEventType,
      Order,
      auditMeta('OrderAuditEntry', 'an order', 'petstore.order.placed', 'orders/1', orderExample),
    ),
    about(
      auditMembers,
      InventoryEventType,
      InventoryItem,
      auditMeta('InventoryAuditEntry', 'a stock', 'petstore.inventory.changed', 'inventory/3', itemExample),
    ),
    about(
      auditMembers,
      WebhookAuditType,
      Webhook,
      auditMeta('WebhookAuditEntry', 'a webhook', 'petstore.webhook.disabled', 'webhooks/1', webhookExample),
    ),
    about(
      auditMembers,
      KeyAuditType,
      ApiKey,
      auditMeta('KeyAuditEntry', 'a key', 'petstore.key.created', 'keys/2', keyExample),
    ),
  ])
  .meta({
    id: 'AuditEntry',
    description:
      'An entry of the audit log: who changed what, and when. Its `type` tells which schema it has. Later versions may add types: ignore those you do not know.',
    example: {
      ...auditExample,
      type: 'petstore.order.completed',
      subject: 'orders/1',
      data: { id: 1, petId: 3, quantity: 1, shipDate: '2026-12-01T09:30:00Z', complete: true },
    },
  })
export type AuditEntry = z.output<typeof AuditEntry>

/** The place of an event as CloudEvents' `sequence` wants it: texts that sort as the numbers do. */
export function sequenceText(position: bigint): string {
  return String(position).padStart(SEQUENCE_DIGITS, '0')
}

/** The place that a text names, with or without its leading zeros; undefined for any other text. */
export function parseSequence(text: string): bigint | undefined {
  return /^[0-9]{1,19}$/.test(text) ? BigInt(text) : undefined
}
