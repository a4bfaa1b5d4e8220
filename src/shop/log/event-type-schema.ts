import { z } from 'zod'
import { constantNames } from '../../values/constant-names.ts'
import { eventTypes } from './event-types.ts'

// The component is not named EventType: ogen gives that name to the discriminator of Event.
export const EventType = z.enum(eventTypes).meta({
  id: 'FeedEventType',
  description: 'An event type. Later versions may add others.',
  example: 'petstore.order.placed',
  ...constantNames(eventTypes),
})
