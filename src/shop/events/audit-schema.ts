import { z } from 'zod'
import { int64 } from '../../values/int64.ts'
import { Category } from '../categories/schema.ts'
import { InventoryItem } from '../inventory/schema.ts'
import { ApiKey } from '../keys/schema.ts'
import { Order, orderExample } from '../orders/schema.ts'
import { Pet } from '../pets/schema.ts'
import { Webhook } from '../webhooks/schema.ts'
import {
  CategoryEventType,
  categoryExample,
  dataText,
  eventSchema,
  InventoryEventType,
  itemExample,
  OrderEventType,
  PetEventType,
  petExample,
  subject,
  time,
  typeSchema,
  webhookExample,
  webhookTypes,
} from './schema.ts'

const auditMembers = {
  position: int64.meta({ description: 'The position of the entry in the audit log.', example: 726 }),
  subject,
  at: time,
  keyId: int64.optional().meta({
    description: 'The key that made the change; absent if the store itself made it.',
    example: 1,
  }),
  requestId: z.string().meta({
    description: 'The id of the request that made the change; the log of the store contains it too.',
    maxLength: 128,
    example: 'till-2.00042',
  }),
  hash: z.string().meta({
    description: 'SHA-256 over this entry and the hash of the previous entry, in base64url.',
    pattern: '^[A-Za-z0-9_-]{43}$',
    maxLength: 43,
    example: 'Tz1Zc0mRWBKsAVr9BLzYI2aJ0P0Ztz_n9jkWfOhDUkE',
  }),
}

const auditExample = {
  position: 726,
  at: '2026-11-21T09:30:00.120Z',
  keyId: 1,
  requestId: 'till-2.00042',
  hash: 'Tz1Zc0mRWBKsAVr9BLzYI2aJ0P0Ztz_n9jkWfOhDUkE',
}

const webhookAuditTypes = [
  ...webhookTypes,
  'petstore.webhook.created',
  'petstore.webhook.updated',
  'petstore.webhook.deleted',
  'petstore.webhook.secret-rotated',
  'petstore.webhook.redelivered',
] as const
const keyTypes = ['petstore.key.created', 'petstore.key.revoked'] as const

const WebhookAuditType = typeSchema(webhookAuditTypes)
const KeyAuditType = typeSchema(keyTypes)

const keyExample = {
  id: 2,
  name: 'till 2',
  scopes: ['orders:read', 'orders:write'],
  hint: 'mOYq',
  createdAt: '2026-11-21T09:30:00.120Z',
}

function auditMeta(id: string, resource: string, type: string, subjectText: string, data: object) {
  return {
    id,
    description: `A change to ${resource}, and the key that made it. ${dataText}`,
    example: { ...auditExample, subject: subjectText, type, data },
  }
}

export const AuditEntry = z
  .discriminatedUnion('type', [
    eventSchema(
      auditMembers,
      PetEventType,
      Pet,
      auditMeta('PetAuditEntry', 'a pet', 'petstore.pet.created', 'pets/3', petExample),
    ),
    eventSchema(
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
    eventSchema(
      auditMembers,
      OrderEventType,
      Order,
      auditMeta('OrderAuditEntry', 'an order', 'petstore.order.placed', 'orders/1', orderExample),
    ),
    eventSchema(
      auditMembers,
      InventoryEventType,
      InventoryItem,
      auditMeta(
        'InventoryAuditEntry',
        'the stock of a pet',
        'petstore.inventory.changed',
        'inventory/3',
        itemExample,
      ),
    ),
    eventSchema(
      auditMembers,
      WebhookAuditType,
      Webhook,
      auditMeta('WebhookAuditEntry', 'a webhook', 'petstore.webhook.disabled', 'webhooks/1', webhookExample),
    ),
    eventSchema(
      auditMembers,
      KeyAuditType,
      ApiKey,
      auditMeta('KeyAuditEntry', 'a key', 'petstore.key.created', 'keys/2', keyExample),
    ),
  ])
  .meta({
    id: 'AuditEntry',
    description:
      'An entry of the audit log: what changed, when, and which key changed it. Its `type` determines its schema. Later versions may add types: ignore those you do not know.',
    example: {
      ...auditExample,
      type: 'petstore.order.updated',
      subject: 'orders/1',
      data: { ...orderExample, shipDate: '2026-12-02T09:30:00Z' },
    },
  })
export type AuditEntry = z.output<typeof AuditEntry>
