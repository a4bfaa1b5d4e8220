import type { FeedEventType } from '../../client/petstore-client.ts'

/** The types of events that a webhook can select. */
export const eventTypes: readonly FeedEventType[] = [
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
]
