import { z } from 'zod'
import { instant } from '../../values/instant-schema.ts'
import { int64, int64Between } from '../../values/int64-schema.ts'
import { text } from '../../values/text-schema.ts'
import { hasUriCharacters } from '../../values/uri.ts'
import { EventType } from '../log/event-type-schema.ts'
import { eventTypes } from '../log/event-types.ts'

export const URL_CHARS_MAX = 2048
/** The length of a webhook secret. Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32

const url = z
  .string()
  .superRefine((value, context) => {
    const message = whyInvalidReceiver(value)
    if (message === undefined) return
    context.addIssue({ code: 'custom', message, params: { field: 'invalid_format' } })
  })
  .meta({
    description:
      'The URL that events are sent to: http or https, without user information or fragment. Every address of the host must be public, unless the operator allows private ones.',
    format: 'uri',
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\\\\\\s]+([/?][^#\\\\\\s]*)?$',
    maxLength: URL_CHARS_MAX,
    example: 'https://till.example/petstore-events',
  })
const types = z
  .array(EventType)
  .min(1)
  .max(eventTypes.length)
  .meta({
    description: 'The event types to send. If absent: all types, including those of later versions.',
    example: ['petstore.order.placed', 'petstore.inventory.changed'],
  })
const description = text(0, 2000).meta({
  description: 'What the webhook is for.',
  example: 'Prints pick lists.',
})

const example = {
  url: 'https://till.example/petstore-events',
  types: ['petstore.order.placed', 'petstore.inventory.changed'],
  description: 'Prints pick lists.',
}

export const NewWebhook = z
  .strictObject({ url, types: types.nullable().optional(), description: description.nullable().optional() })
  .meta({ id: 'NewWebhook', description: 'The webhook to create.', example })
export type NewWebhook = z.output<typeof NewWebhook>

const webhookId = int64.meta({ description: 'Assigned by the store.', example: 1 })
const enabled = z.boolean().meta({
  description:
    'Whether events are sent. A webhook that is enabled again continues where it stopped: events from the meantime are sent unless they have been deleted.',
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
      'A JSON Merge Patch (RFC 7396) for a webhook. `types: null` means all types. `id` may be sent only with its current value.',
    example: { enabled: false },
  })
export type WebhookPatch = z.output<typeof WebhookPatch>

const DisabledReason = z.enum(['asked', 'gone', 'failing']).meta({
  id: 'DisabledReason',
  description:
    'Why a webhook is disabled: `asked` by a request, `gone` because the receiver responded with 410, or `failing` because attempts failed for five days, without the time in which nothing was attempted.',
  example: 'gone',
})

const webhookMembers = {
  id: webhookId,
  url,
  types: types.optional(),
  description: description.optional(),
  enabled,
  disabledReason: DisabledReason.optional(),
  failingSince: instant.optional().meta({
    description:
      'When the current series of failed attempts began; absent after a success, a change of the URL, or enabling.',
    example: '2026-11-21T09:30:00.120Z',
  }),
  createdAt: instant.meta({
    description: 'When the webhook was created.',
    example: '2026-11-21T09:30:00.120Z',
  }),
}
const shownExample = { id: 1, ...example, enabled: true, createdAt: '2026-11-21T09:30:00.120Z' }

export const Webhook = z
  .object(webhookMembers)
  .meta({ id: 'Webhook', description: 'A receiver of events, without its secret.', example: shownExample })
export type Webhook = z.output<typeof Webhook>

export const WebhookWithSecret = z
  .object({
    ...webhookMembers,
    secret: z.string().meta({
      description: 'The secret that signs deliveries (Standard Webhooks). Only this response contains it.',
      pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
      maxLength: 50,
      example: 'whsec_BAsSGSAnLjU8Q0pRWF9mbXR7gomQl56lrLO6wcjP1t0=',
    }),
    previousSecretUntil: instant.optional().meta({
      description:
        'Until then, or until the next rotation, each delivery is also signed with the previous secret.',
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
      description: 'The id of the test event, which is also the `webhook-id` of its delivery.',
      pattern: '^[0-9]+$',
      maxLength: 19,
      example: '730',
    }),
  })
  .meta({
    id: 'AcceptedTest',
    description: 'A test event that is accepted for delivery.',
    example: { eventId: '730' },
  })
export type AcceptedTest = z.output<typeof AcceptedTest>

export const AcceptedRedeliveries = z
  .object({
    count: int64Between(0n, 10_000n).meta({
      description: 'The number of deliveries that are due again.',
      example: 1,
    }),
    more: z.boolean().meta({
      description:
        'Whether more failed deliveries may remain; repeat the request to redeliver the next ones.',
      example: false,
    }),
  })
  .meta({
    id: 'AcceptedRedeliveries',
    description: 'Failed deliveries that are accepted for redelivery.',
    example: { count: 1, more: false },
  })
export type AcceptedRedeliveries = z.output<typeof AcceptedRedeliveries>

/** Returns a new webhook secret in the format of Standard Webhooks. */
export function webhookSecret(): string {
  return `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64')}`
}

/** Returns what is wrong with the text of a receiver URL, without resolving its host; undefined for a valid URL. */
export function whyInvalidReceiver(value: string): string | undefined {
  if (value.length > URL_CHARS_MAX) return `must have at most ${URL_CHARS_MAX} characters`
  // Characters that the parser would drop or repair are rejected, so that the stored URL is exactly the sent one.
  if (!URL.canParse(value) || /[\s\p{Cc}\\]/u.test(value)) return 'must be an absolute URL'
  const { protocol, username, password, host } = new URL(value)
  if (protocol !== 'http:' && protocol !== 'https:') return 'must begin with http:// or https://'
  if (host === '') return 'must name a host'
  if (username !== '' || password !== '') return 'must not contain a user name or a password'
  if (value.includes('#')) return 'must not have a fragment'
  if (!hasUriCharacters(value))
    return 'must be a URI: percent-encode the characters that a URI cannot contain'
  return undefined
}
