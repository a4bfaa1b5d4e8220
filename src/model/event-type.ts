import { z } from 'zod'
import { constantNames } from './constant-names.ts'

/** Everything that can happen to what the shop shows: the types of the feed, the stream and the webhooks. */
export const eventTypes = [
  'petstore.pet.created',
  'petstore.pet.updated',
  'petstore.pet.deleted',
  'petstore.category.created',
  'petstore.category.updated',
  'petstore.category.deleted',
  'petstore.order.placed',
  'petstore.order.updated',
  'petstore.order.completed',
  'petstore.order.cancelled',
  'petstore.inventory.changed',
  'petstore.webhook.disabled',
] as const
// Its component has another name: ogen gives the name EventType to the discriminator of Event.
export const EventType = z.enum(eventTypes).meta({
  id: 'FeedEventType',
  description: 'A type of event. Later versions may add others.',
  example: 'petstore.order.placed',
  ...constantNames(eventTypes),
})
export type EventType = z.output<typeof EventType>

/** Sent to one webhook when its owner asks for it, and to nobody else. */
export const TEST_TYPE = 'petstore.webhook.test'

/** What stands in the audit trail alone. */
export const auditOnlyTypes = [
  'petstore.key.created',
  'petstore.key.revoked',
  'petstore.webhook.created',
  'petstore.webhook.updated',
  'petstore.webhook.deleted',
  'petstore.webhook.secret-rotated',
  'petstore.webhook.redelivered',
  TEST_TYPE,
] as const
export type AuditOnlyType = (typeof auditOnlyTypes)[number]
