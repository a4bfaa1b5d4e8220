import { pascalCase } from '../contract/component-name.ts'
import type { Operation } from '../contract/operation.ts'
import { isRepeated } from '../contract/parameter.ts'
import { version } from '../files/version.ts'
import { eventExamples } from '../shop/events/examples.ts'
import { eventSchemas } from '../shop/events/schema.ts'
import { TEST_TYPE } from '../shop/log/event-types.ts'
import { contract } from '../shop/registry/operations.ts'
import { deliveryHeaders } from './callbacks.ts'
import type { DescriptionOptions } from './document.ts'
import { plainSchemas } from './json-schemas.ts'
import { type Part, schemaPart, usedOnly } from './schemas.ts'
import { storeApi } from './store-api.ts'

const SCHEMA = '#/components/schemas/'

/** The messages, one for each event type: the name, and the name of the schema. */
const messages = eventSchemas.map(schema => {
  const type = schema.shape.type.value
  return { type, name: pascalCase(type.replace('petstore.', '')), schema: String(schema.meta()?.id) }
})
/** Only a webhook receives the test event. */
const published = messages.filter(({ type }) => type !== TEST_TYPE)

/**
 * Returns the AsyncAPI 3.0 document of the events that a store sends: in the feed, in the stream and to webhooks. It is
 * written from the view of the store, as AsyncAPI specifies.
 */
export function describeEvents(options: DescriptionOptions): Part {
  const { host, pathname, protocol } = new URL(options.base)
  const { serves = () => true } = options
  const served = [
    ...(serves(contract.listEvents) ? ['feed'] : []),
    ...(serves(contract.streamEvents) ? ['stream'] : []),
    ...(serves(contract.createWebhook) ? ['deliveries'] : []),
  ]
  const only = (all: Part): Part =>
    Object.fromEntries(Object.entries(all).filter(([name]) => served.includes(name)))
  const parts = {
    channels: only(channels()),
    operations: operations(served),
    components: { messages: served.length > 0 ? messageParts() : {} },
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Petstore events',
      version,
      description: `Every change in the store, as CloudEvents 1.0 in JSON. How to follow them: ${options.base}/docs/guide/events. The operations of the store: ${options.base}/openapi.yaml.`,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    defaultContentType: 'application/json',
    servers: {
      store: {
        host,
        ...(pathname !== '/' && { pathname }),
        protocol: protocol.replace(':', ''),
        description: 'This store.',
        security: [{ $ref: '#/components/securitySchemes/key' }],
      },
      receiver: {
        host: '{host}',
        protocol: 'https',
        description: 'The receiver of a webhook. The store checks its certificate.',
        variables: {
          host: { description: 'The host in the URL of the webhook.', examples: ['till.example'] },
        },
      },
    },
    ...parts,
    components: {
      ...parts.components,
      schemas: usedOnly(
        'schemas',
        { ...plainSchemas(storeApi, options, name => SCHEMA + name), EventPage },
        parts,
      ),
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: storeApi.key } },
    },
  }
}

function channels(): Part {
  const store = [{ $ref: '#/servers/store' }]
  return {
    feed: {
      address: '/events',
      title: 'The feed',
      description:
        'Pages of events, oldest first. A client follows the `next` link, with `wait` for the next event.',
      servers: store,
      messages: { EventPage: { $ref: '#/components/messages/EventPage' } },
    },
    stream: {
      address: '/events/stream',
      title: 'The stream',
      description:
        'Server-sent events: `id` is the position, `event` the type, `data` the message. A client that sends the last `id` in the header `Last-Event-ID` continues after it.',
      servers: store,
      messages: Object.fromEntries(
        published.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }]),
      ),
    },
    // Not `webhook`: generators would give it the name of the schema Webhook.
    deliveries: {
      address: '{path}',
      parameters: { path: { description: 'The path and the query in the URL of the webhook.' } },
      title: 'Deliveries to a webhook',
      description:
        'A signed POST for each event, sent again until the receiver confirms it (Standard Webhooks).',
      servers: [{ $ref: '#/servers/receiver' }],
      messages: Object.fromEntries(messages.map(message => [message.name, deliveryPart(message)])),
    },
  }
}

function operations(served: readonly string[]): Part {
  const all = [
    {
      id: 'sendPage',
      channel: 'feed',
      summary: 'Respond with a page of events.',
      method: 'GET',
      query: queryPart(contract.listEvents),
    },
    {
      id: 'sendEvent',
      channel: 'stream',
      summary: 'Send an event to the client of a stream.',
      method: 'GET',
      query: queryPart(contract.streamEvents),
    },
    {
      id: 'deliverEvent',
      channel: 'deliveries',
      summary: 'Deliver an event to a webhook.',
      method: 'POST',
    },
  ]
  return Object.fromEntries(
    all
      .filter(({ channel }) => served.includes(channel))
      .map(({ id, channel, summary, method, query }) => [
        id,
        {
          action: 'send',
          channel: { $ref: `#/channels/${channel}` },
          summary,
          bindings: { http: { method, ...(query && { query }), bindingVersion: '0.3.0' } },
        },
      ]),
  )
}

const EventPage: Part = { type: 'array', maxItems: 100, items: { $ref: `${SCHEMA}Event` } }

/** Returns the query parameters of an operation as one schema. */
function queryPart({ query = {} }: Operation): Part {
  const properties = Object.entries(query).map(([name, parameter]) => {
    const { description, schema } = parameter
    const one = schemaPart(schema)
    return [name, { ...(isRepeated(parameter) ? { type: 'array', items: one } : one), description }]
  })
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function messageParts(): Part {
  const page = {
    name: 'EventPage',
    title: 'A page of events',
    contentType: 'application/json',
    payload: { $ref: `${SCHEMA}EventPage` },
  }
  return Object.fromEntries([
    ['EventPage', page],
    ...published.map(message => [message.name, messagePart(message)]),
  ])
}

function messagePart({ name, type, schema }: (typeof messages)[number]): Part {
  return {
    name: type,
    title: name,
    contentType: 'application/cloudevents+json',
    payload: { $ref: SCHEMA + schema },
    examples: [{ name, payload: eventExamples[type] }],
  }
}

/** Returns a message as it is delivered: with the header fields of Standard Webhooks. */
function deliveryPart(message: (typeof messages)[number]): Part {
  const properties = Object.fromEntries(
    deliveryHeaders.map(({ name, description, schema }) => [
      String(name),
      { ...Object(schema), description },
    ]),
  )
  const required = deliveryHeaders.filter(({ required }) => required).map(({ name }) => name)
  return { ...messagePart(message), headers: { type: 'object', properties, required } }
}
