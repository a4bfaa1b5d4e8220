export const petTypes = ['petstore.pet.created', 'petstore.pet.updated', 'petstore.pet.deleted'] as const
export const categoryTypes = [
  'petstore.category.created',
  'petstore.category.updated',
  'petstore.category.deleted',
] as const
export const orderTypes = [
  'petstore.order.placed',
  'petstore.order.updated',
  'petstore.order.completed',
  'petstore.order.returned',
  'petstore.order.cancelled',
] as const
export const inventoryTypes = ['petstore.inventory.changed'] as const

/** The event types of the feed, the stream and the webhooks. */
export const eventTypes = [
  ...petTypes,
  ...categoryTypes,
  ...orderTypes,
  ...inventoryTypes,
  'petstore.webhook.disabled',
] as const
export type EventType = (typeof eventTypes)[number]

/** The type of a test event, which is sent only to the webhook that is tested. */
export const TEST_TYPE = 'petstore.webhook.test'

export const keyTypes = ['petstore.key.created', 'petstore.key.revoked'] as const

export const webhookTypes = [
  'petstore.webhook.created',
  'petstore.webhook.updated',
  'petstore.webhook.deleted',
  'petstore.webhook.secret-rotated',
  'petstore.webhook.redelivered',
] as const

/** The types that are in the audit log but not in the feed. */
export const auditOnlyTypes = [...keyTypes, ...webhookTypes, TEST_TYPE] as const
export type AuditOnlyType = (typeof auditOnlyTypes)[number]
