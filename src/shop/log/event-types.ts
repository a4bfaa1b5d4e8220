import { z } from 'zod'
import { constantNames } from '../../values/constant-names.ts'

/** The event types of the feed, the stream and the webhooks. */
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
// The component is not named EventType: ogen gives that name to the discriminator of Event.
export const EventType = z.enum(eventTypes).meta({
  id: 'FeedEventType',
  description: 'An event type. Later versions may add others.',
  example: 'petstore.order.placed',
  ...constantNames(eventTypes),
})
export type EventType = z.output<typeof EventType>

/** The type of a test event, which is sent only to the webhook that is tested. */
export const TEST_TYPE = 'petstore.webhook.test'

/** The types that are in the audit log but not in the feed. */
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
