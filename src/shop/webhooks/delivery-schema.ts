import { z } from 'zod'
import { constantNames } from '../../values/constant-names.ts'
import { instant } from '../../values/instant-schema.ts'
import { int64, int64Between } from '../../values/int64-schema.ts'
import { eventTypes, TEST_TYPE } from '../log/event-types.ts'

export const DeliveryState = z.enum(['pending', 'delivered', 'failed']).meta({
  id: 'DeliveryState',
  description:
    '`delivered` once the receiver has responded with 2xx; `failed` once the last attempt has failed; `pending` until then, and again after a redelivery was requested.',
  example: 'pending',
})
export type DeliveryState = z.output<typeof DeliveryState>

const deliveredTypes = [...eventTypes, TEST_TYPE] as const
const DeliveredEventType = z.enum(deliveredTypes).meta({
  id: 'DeliveredEventType',
  description: 'The type of a delivered event: a type of the feed, or a test event.',
  example: TEST_TYPE,
  ...constantNames(deliveredTypes),
})

/** The maximum number of stored characters of a response: its first KiB cannot contain more. */
const REPLY_CHARS_MAX = 1024

export const DeliveryAttempt = z
  .object({
    at: instant.meta({ description: 'When the attempt began.', example: '2026-11-21T09:30:00.120Z' }),
    durationMs: int64Between(0n, 600_000n).meta({
      description: 'The duration of the attempt in milliseconds.',
      example: 14,
    }),
    status: int64Between(100n, 999n)
      .meta({
        format: 'int32',
        description: 'The HTTP status from the receiver; absent if no response arrived.',
        example: 500,
      })
      .optional(),
    error: z.string().optional().meta({
      description: 'Why no response arrived.',
      maxLength: 1000,
      example: 'hooks.example.com refused the connection.',
    }),
    reply: z.string().optional().meta({
      description: 'The first KiB of the response body.',
      maxLength: REPLY_CHARS_MAX,
      example: 'out of paper',
    }),
  })
  .meta({
    id: 'DeliveryAttempt',
    description: 'One attempt to deliver an event.',
    example: { at: '2026-11-21T09:30:00.120Z', durationMs: 14, status: 500, reply: 'out of paper' },
  })
export type DeliveryAttempt = z.output<typeof DeliveryAttempt>

export const Delivery = z
  .object({
    id: int64.meta({ description: 'Assigned by the store.', example: 1 }),
    eventId: z.string().meta({
      description: 'The id of the event, which is also the `webhook-id` of each attempt.',
      pattern: '^[0-9]+$',
      maxLength: 19,
      example: '730',
    }),
    type: DeliveredEventType,
    state: DeliveryState,
    attempts: z.array(DeliveryAttempt).max(20).meta({ description: 'The last 20 attempts, oldest first.' }),
    nextAttemptAt: instant.optional().meta({
      description: 'When the next attempt is due; present while the delivery is pending.',
      example: '2026-11-21T09:30:05.120Z',
    }),
    createdAt: instant.meta({
      description: 'When the first attempt began.',
      example: '2026-11-21T09:30:00.120Z',
    }),
  })
  .meta({
    id: 'Delivery',
    description: 'The delivery of an event to a webhook, with its attempts.',
    example: {
      id: 1,
      eventId: '730',
      type: TEST_TYPE,
      state: 'pending',
      attempts: [{ at: '2026-11-21T09:30:00.120Z', durationMs: 14, status: 500, reply: 'out of paper' }],
      nextAttemptAt: '2026-11-21T09:30:05.120Z',
      createdAt: '2026-11-21T09:30:00.120Z',
    },
  })
export type Delivery = z.output<typeof Delivery>
