import { z } from 'zod'
import { int64 } from '../../values/int64-schema.ts'
import { ApiKey, keyExample } from '../keys/schema.ts'
import { keyTypes, webhookTypes } from '../log/event-types.ts'
import { orderExample } from '../orders/schema.ts'
import {
  categoryTopic,
  inventoryTopic,
  orderTopic,
  petTopic,
  schemasAbout,
  subject,
  time,
  webhookTopic,
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

const entry = {
  name: 'AuditEntry',
  text: (noun: string) => `A change to ${noun}, and the key that made it.`,
  members: auditMembers,
  example: auditExample,
}

const webhookAudit = {
  ...webhookTopic,
  types: [...webhookTopic.types, ...webhookTypes],
} as const
const keyTopic = {
  noun: 'a key',
  types: keyTypes,
  data: ApiKey,
  subject: 'keys/2',
  example: keyExample,
}

export const AuditEntry = z
  .discriminatedUnion('type', [
    ...schemasAbout(petTopic, entry),
    ...schemasAbout(categoryTopic, entry),
    ...schemasAbout(orderTopic, entry),
    ...schemasAbout(inventoryTopic, entry),
    ...schemasAbout(webhookAudit, entry),
    ...schemasAbout(keyTopic, entry),
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
