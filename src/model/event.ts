import { z } from 'zod'

/** Everything that can happen to what the shop shows; on the wire each stands behind `petstore.`. */
export const EventType = z.enum([
  'pet.created',
  'pet.updated',
  'pet.deleted',
  'category.created',
  'category.updated',
  'category.deleted',
  'order.placed',
  'order.updated',
  'order.completed',
  'order.cancelled',
  'inventory.changed',
])
export type EventType = z.output<typeof EventType>
