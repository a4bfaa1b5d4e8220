import { z } from 'zod'
import { EventType, eventTypes } from './event-type.ts'
import { instant } from './instant.ts'
import { int64, int64Between } from './int64.ts'
import { text } from './text.ts'

/** How many webhooks a store keeps, at most: each costs every event a look. */
export const WEBHOOKS_MAX = 100
export const URL_CHARS_MAX = 2048
/** Bytes of the key that seals the secrets: AES-256. */
export const SECRET_KEY_BYTES = 32

const url = z
  .string()
  .superRefine((value, context) => {
    const message = whyNoReceiver(value)
    if (message === undefined) return
    context.addIssue({ code: 'custom', message, params: { field: 'invalid_format' } })
  })
  .meta({
    description:
      'Where events are sent: http or https, without user information or fragment. Every address of the host must be public, unless the operator allows private ones.',
    format: 'uri',
    maxLength: URL_CHARS_MAX,
    example: 'https://till.example/petstore-events',
  })
const types = z
  .array(EventType)
  .min(1)
  .max(eventTypes.length)
  .meta({
    description: 'The types of event that are sent. Absent: all of them, and those that are still to come.',
    example: ['petstore.order.placed', 'petstore.inventory.changed'],
  })
const description = text(0, 2000).meta({ description: 'What it is for.', example: 'Prints pick lists.' })

const example = {
  url: 'https://till.example/petstore-events',
  types: ['petstore.order.placed', 'petstore.inventory.changed'],
  description: 'Prints pick lists.',
}

export const NewWebhook = z
  .strictObject({ url, types: types.nullable().optional(), description: description.nullable().optional() })
  .meta({ id: 'NewWebhook', description: 'A webhook to be.', example })
export type NewWebhook = z.output<typeof NewWebhook>

const webhookId = int64.meta({ description: 'Assigned by the store.', example: 1 })
const enabled = z.boolean().meta({
  description:
    'Whether events are sent. A webhook that is enabled again goes on where it stopped: what happened meanwhile is sent, as far as it is kept.',
  example: true,
})

export const WebhookPatch = z
  .strictObject({
    url,
    types: types.nullable(),
    description: description.nullable(),
    enabled,
    id: webhookId.meta({ readOnly: true }),
  })
  .partial()
  .meta({
    id: 'WebhookPatch',
    description:
      'A JSON Merge Patch (RFC 7396) of a webhook; null types stand for all. `id` may be sent with the value it has.',
    example: { enabled: false },
  })
export type WebhookPatch = z.output<typeof WebhookPatch>

const DisabledReason = z.enum(['asked', 'gone', 'failing']).meta({
  id: 'DisabledReason',
  description:
    'Why a webhook is disabled: somebody asked for it, the receiver answered 410, or nothing was delivered for five days.',
  example: 'gone',
})

const shown = {
  id: webhookId,
  url,
  types: types.optional(),
  description: description.optional(),
  enabled,
  disabledReason: DisabledReason.optional(),
  failingSince: instant.optional().meta({
    description: 'Since when no attempt has succeeded; absent while the last one did.',
    example: '2026-11-21T09:30:00.120Z',
  }),
  createdAt: instant.meta({ description: 'When it was made.', example: '2026-11-21T09:30:00.120Z' }),
}
const shownExample = { id: 1, ...example, enabled: true, createdAt: '2026-11-21T09:30:00.120Z' }

export const Webhook = z
  .object(shown)
  .meta({ id: 'Webhook', description: 'A receiver of events, without its secret.', example: shownExample })
export type Webhook = z.output<typeof Webhook>

export const WebhookWithSecret = z
  .object({
    ...shown,
    secret: z.string().meta({
      description: 'The secret that signatures are made with (Standard Webhooks). It is shown this once.',
      pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
      maxLength: 50,
      example: 'whsec_BAsSGSAnLjU8Q0pRWF9mbXR7gomQl56lrLO6wcjP1t0=',
    }),
    previousSecretUntil: instant.optional().meta({
      description: 'Until then each delivery is signed with the secret before as well.',
      example: '2026-11-22T09:30:00.120Z',
    }),
  })
  .meta({
    id: 'WebhookWithSecret',
    description: 'A webhook with its secret.',
    example: { ...shownExample, secret: 'whsec_BAsSGSAnLjU8Q0pRWF9mbXR7gomQl56lrLO6wcjP1t0=' },
  })
export type WebhookWithSecret = z.output<typeof WebhookWithSecret>

export const AcceptedTest = z
  .object({
    eventId: z.string().meta({
      description: 'The id of the test event, and the `webhook-id` it is delivered under.',
      pattern: '^[0-9]+$',
      maxLength: 19,
      example: '730',
    }),
  })
  .meta({
    id: 'AcceptedTest',
    description: 'A test event that is on its way.',
    example: { eventId: '730' },
  })
export type AcceptedTest = z.output<typeof AcceptedTest>

export const AcceptedRedeliveries = z
  .object({
    count: int64Between(0n, 10_000n).meta({ description: 'Deliveries that are due again.', example: 1 }),
    more: z.boolean().meta({
      description: 'Whether others may be left: the same request takes the next of them.',
      example: false,
    }),
  })
  .meta({
    id: 'AcceptedRedeliveries',
    description: 'Failed deliveries that are made again.',
    example: { count: 1, more: false },
  })
export type AcceptedRedeliveries = z.output<typeof AcceptedRedeliveries>

/** What is wrong with the text of a receiver's URL, whatever its host resolves to; undefined when nothing is. */
export function whyNoReceiver(value: string): string | undefined {
  if (value.length > URL_CHARS_MAX) return `must have at most ${URL_CHARS_MAX} characters`
  // What the parser would drop or repair is refused: the URL that is kept is the one that was sent.
  if (!URL.canParse(value) || /[\s\p{Cc}\\]/u.test(value)) return 'must be an absolute URL'
  const { protocol, username, password, host } = new URL(value)
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin with http:// or https://'
  if (host === '') return 'must name a host'
  if (username !== '' || password !== '') return 'must not hold a user name or a password'
  if (value.includes('#')) return 'must not have a fragment'
  return undefined
}
