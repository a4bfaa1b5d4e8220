import { Event, eventOf } from '../model/event.ts'
import { eventTypes, TEST_TYPE } from '../model/event-type.ts'
import { eventExamples } from './event-examples.ts'
import { type Part, schemaPart } from './openapi-schemas.ts'
import type { Components } from './openapi-shared.ts'

const MEDIA_TYPE = 'application/cloudevents+json'

/** The header fields that every delivery bears. */
export const deliveryHeaders: readonly Part[] = [
  headerPart('webhook-id', 'The id of the event: the same on each attempt.', '721', '^[0-9]{1,19}$', 19),
  headerPart('webhook-timestamp', 'When it was sent, in Unix seconds.', '1795253400', '^[0-9]{1,12}$', 12),
  headerPart(
    'webhook-signature',
    'HMAC-SHA256 over id, timestamp and body; two of them while the secret is being rotated.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    '^v1,[A-Za-z0-9+/=]{44}( v1,[A-Za-z0-9+/=]{44})?$',
    95,
  ),
]

const answers = {
  '2XX': { description: 'The event was taken.' },
  410: { description: 'The receiver is gone for good: the webhook is disabled.' },
  '4XX': { description: 'Not taken: it is tried again.' },
  '5XX': { description: 'Not taken: it is tried again, not before Retry-After if that is given.' },
}

/** The request that a webhook receives, as a callback of the operation that makes it. */
export function callbacksPart(parameters: Components): Part {
  const examples = Object.entries(eventExamples).map(([type, value]) => [type, { summary: type, value }])
  const content = { schema: schemaPart(Event), examples: Object.fromEntries(examples) }
  const part = receiverPart(parameters, 'receiveEvent', 'Receive an event', content)
  const description =
    'Sent by the store, signed as Standard Webhooks has it: verify the signature over the raw body before you believe it. Answer 2xx within 10 seconds; anything else is tried again 9 times within about 76 hours, under the same `webhook-id`. An event may come more than once, and after one that happened later: `id` and `sequence` tell.'
  return { event: { '{$request.body#/url}': { post: { ...part, description } } } }
}

/** The same by the type of event, each with the resource that it carries: OpenAPI 3.1 calls them webhooks. */
export function webhooksPart(parameters: Components): Part {
  const types = [...eventTypes, TEST_TYPE] as const
  return Object.fromEntries(
    types.map(type => {
      const content = { schema: schemaPart(eventOf[type]), example: eventExamples[type] }
      return [type, { post: receiverPart(parameters, operationIdOf(type), `Receive ${type}`, content) }]
    }),
  )
}

/** `receivePetCreated` of `petstore.pet.created`. */
function operationIdOf(type: string): string {
  const words = type.split('.').slice(1)
  return `receive${words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`
}

function receiverPart(parameters: Components, operationId: string, summary: string, content: Part): Part {
  return {
    operationId,
    tags: ['Webhooks'],
    summary,
    description: 'As the callback of createWebhook has it.',
    parameters: deliveryHeaders.map(parameters.refer),
    requestBody: { required: true, content: { [MEDIA_TYPE]: content } },
    responses: answers,
    security: [],
  }
}

function headerPart(
  name: string,
  description: string,
  example: string,
  pattern: string,
  maxLength: number,
): Part {
  const schema = { type: 'string', pattern, maxLength }
  return { name, in: 'header', required: true, description, schema, example }
}
