import { z } from 'zod'
import { Category } from './category.ts'
import { auditOnlyTypes, eventTypes, TEST_TYPE } from './event-type.ts'
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

/** The resource that each type of event carries: as it is afterwards; of what is gone, as it was last. */
export const dataOf = {
  'petstore.pet.created': Pet,
  'petstore.pet.updated': Pet,
  'petstore.pet.deleted': Pet,
  'petstore.category.created': Category,
  'petstore.category.updated': Category,
  'petstore.category.deleted': Category,
  'petstore.order.placed': Order,
  'petstore.order.updated': Order,
  'petstore.order.completed': Order,
  'petstore.order.cancelled': Order,
  'petstore.inventory.changed': InventoryItem,
  'petstore.webhook.disabled': Webhook,
  [TEST_TYPE]: Webhook,
} as const

export const Event = z
  .strictObject({
    specversion: z.enum(['1.0']).meta({ description: 'The version of CloudEvents.', example: '1.0' }),
    id,
    source: z.string().meta({
      description: 'The base address of the store.',
      format: 'uri',
      maxLength: 2048,
      example: 'http://127.0.0.1:8080',
    }),
    type: z
      .enum([...eventTypes, TEST_TYPE])
      .meta({ description: 'What happened.', example: 'petstore.order.placed' }),
    subject,
    time,
    datacontenttype: z
      .enum(['application/json'])
      .meta({ description: 'What data is.', example: 'application/json' }),
    sequence: z.string().meta({
      description:
        'The place of the event in the order of all that happened: a decimal number with leading zeros, so that texts sort as numbers do.',
      pattern: `^[0-9]{${SEQUENCE_DIGITS}}$`,
      maxLength: SEQUENCE_DIGITS,
      example: '0000000000000000721',
    }),
    data: z.union([Pet, Category, InventoryItem, Order, Webhook]).meta({
      description: 'The resource after the change; for `deleted` and `cancelled`, as it was last.',
    }),
  })
  .meta({
    id: 'Event',
    description: 'Something that happened, as CloudEvents 1.0 in JSON, with the extension `sequence`.',
    example: {
      specversion: '1.0',
      id: '721',
      source: 'http://127.0.0.1:8080',
      type: 'petstore.order.placed',
      subject: 'orders/1',
      time: '2026-11-21T09:30:00.120Z',
      datacontenttype: 'application/json',
      sequence: '0000000000000000721',
      data: { id: 1, petId: 3, quantity: 1, shipDate: '2026-12-01T09:30:00Z', complete: false },
    },
  })
export type Event = z.output<typeof Event>

export const AuditEntry = z
  .strictObject({
    position: int64.meta({ description: 'Its place in the trail.', example: 727 }),
    type: z
      .enum([...eventTypes, ...auditOnlyTypes])
      .meta({ description: 'What was done.', example: 'petstore.order.completed' }),
    subject,
    at: time,
    keyId: int64.optional().meta({
      description: 'The key that did it; absent when the store did it itself.',
      example: 1,
    }),
    requestId: z.string().meta({
      description: 'The id of the request that did it; the logs bear it too.',
      maxLength: 128,
      example: 'till-2.00042',
    }),
    data: z.union([Pet, Category, InventoryItem, Order, Webhook, ApiKey]).meta({
      description: 'The resource after the change, without secrets; of what is gone, as it was last.',
    }),
    hash: z.string().meta({
      description: 'SHA-256 over this entry and the hash of the one before, in base64url.',
      pattern: '^[A-Za-z0-9_-]{43}$',
      maxLength: 43,
      example: 'Tz1Zc0mRWBKsAVr9BLzYI2aJ0P0Ztz_n9jkWfOhDUkE',
    }),
  })
  .meta({
    id: 'AuditEntry',
    description: 'Who did what, and when: an entry of the audit trail.',
    example: {
      position: 727,
      type: 'petstore.order.completed',
      subject: 'orders/1',
      at: '2026-11-21T09:30:00.120Z',
      keyId: 1,
      requestId: 'till-2.00042',
      data: { id: 1, petId: 3, quantity: 1, shipDate: '2026-12-01T09:30:00Z', complete: true },
      hash: 'Tz1Zc0mRWBKsAVr9BLzYI2aJ0P0Ztz_n9jkWfOhDUkE',
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
