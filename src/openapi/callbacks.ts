import { pascalCase } from '../contract/component-name.ts'
import { eventExamples } from '../shop/events/examples.ts'
import { Event, eventSchemas } from '../shop/events/schema.ts'
import type { Components } from './components.ts'
import { type Part, schemaPart } from './schemas.ts'

const MEDIA_TYPE = 'application/cloudevents+json'

interface HeaderPart extends Part {
  readonly name: string
  readonly description: string
  readonly schema: Part
  readonly required: boolean
}

/** The header fields of every delivery. */
export const deliveryHeaders: readonly HeaderPart[] = [
  headerPart('webhook-id', 'The id of the event: the same for each attempt.', '721', '^[0-9]{1,19}$', 19),
  headerPart(
    'webhook-timestamp',
    'When the attempt was sent, in Unix seconds.',
    '1795253400',
    '^[0-9]{1,12}$',
    12,
  ),
  headerPart(
    'webhook-signature',
    'HMAC-SHA256 over id, timestamp and body; two signatures while the secret is being rotated.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    '^v1,[A-Za-z0-9+/=]{44}( v1,[A-Za-z0-9+/=]{44})?$',
    95,
  ),
  {
    ...headerPart(
      'traceparent',
      'The trace of the request that made the change (W3C Trace Context), as in the event.',
      '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
      55,
    ),
    required: false,
  },
]

const notReceived = {
  description:
    'Not received: the delivery is retried. Retry-After can delay the next attempt by up to a day.',
}
const responses = {
  '2XX': { description: 'The event was received.' },
  410: { description: 'The receiver is permanently gone: the webhook is disabled.' },
  '4XX': notReceived,
  '5XX': notReceived,
}

/** Returns the request that a webhook receives, as a callback of the operation that creates the webhook. */
export function callbacksPart(parameters: Components): Part {
  const examples = Object.entries(eventExamples).map(([type, value]) => [type, { summary: type, value }])
  const content = { schema: schemaPart(Event), examples: Object.fromEntries(examples) }
  const part = receiverPart(parameters, 'receiveEvent', 'Receive an event', content)
  const description =
    'The store sends this request and signs it per Standard Webhooks: verify the signature over the raw body before you trust it. Respond with 2xx within 10 seconds. After any other outcome except 410, the delivery is retried, by default 9 times over more than three days, with the same `webhook-id`. An event can arrive more than once, and after an event that happened later: `id` identifies duplicates, and `sequence` gives the order.'
  return { event: { '{$request.body#/url}': { post: { ...part, description } } } }
}

/** Returns the requests that a webhook receives, one for each event type. OpenAPI 3.1 calls them webhooks. */
export function webhooksPart(parameters: Components): Part {
  return Object.fromEntries(
    eventSchemas.map(schema => {
      const type = schema.shape.type.value
      const content = { schema: schemaPart(schema), example: eventExamples[type] }
      return [type, { post: receiverPart(parameters, operationIdOf(type), `Receive ${type}`, content) }]
    }),
  )
}

/** Returns `receivePetCreated` for `petstore.pet.created`. */
function operationIdOf(type: string): string {
  return `receive${pascalCase(type.replace('petstore.', ''))}`
}

function receiverPart(parameters: Components, operationId: string, summary: string, content: Part): Part {
  return {
    operationId,
    tags: ['Webhooks'],
    summary,
    description: 'See the callback of createWebhook.',
    parameters: deliveryHeaders.map(parameters.refer),
    requestBody: { required: true, content: { [MEDIA_TYPE]: content } },
    responses: responses,
    security: [],
  }
}

function headerPart(
  name: string,
  description: string,
  example: string,
  pattern: string,
  maxLength: number,
): HeaderPart {
  const schema = { type: 'string', pattern, maxLength }
  return { name, in: 'header', required: true, description, schema, example }
}
