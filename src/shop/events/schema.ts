import { z } from 'zod'
import { pascalCase } from '../../contract/component-name.ts'
import { constantNames } from '../../values/constant-names.ts'
import { instant } from '../../values/instant-schema.ts'
import { SEQUENCE_DIGITS } from '../../values/sequence.ts'
import { Category } from '../categories/schema.ts'
import { categoryTypes, inventoryTypes, orderTypes, petTypes, TEST_TYPE } from '../log/event-types.ts'
import { Order, orderExample } from '../orders/schema.ts'
import { Pet } from '../pets/schema.ts'
import { InventoryItem } from '../stock/schema.ts'
import { Webhook } from '../webhooks/schema.ts'

const id = z.string().meta({
  description: 'The id of the event: the same in the feed, in the stream and in every delivery.',
  pattern: '^[0-9]+$',
  maxLength: 19,
  example: '721',
})
/** The kinds of resources that events are about: a subject is one of these, a slash and an id. */
export const subjectKinds = ['pets', 'categories', 'orders', 'inventory', 'webhooks', 'keys'] as const
const SUBJECT = /^(pets|categories|orders|inventory|webhooks|keys)\/[1-9][0-9]{0,18}$/

/** The schema of a subject in a request. */
export const namedSubject = z
  .string()
  .regex(SUBJECT)
  .max(30)
  .meta({ pattern: SUBJECT.source.replace('\\/', '/'), example: 'orders/1' })

export const subject = z.string().meta({
  description: 'The resource that the event is about: its kind and id.',
  maxLength: 64,
  example: 'orders/1',
})
export const time = instant.meta({
  description: 'When the event happened.',
  example: '2026-11-21T09:30:00.120Z',
})

const envelope = {
  specversion: z.string().meta({
    description: 'The version of CloudEvents.',
    pattern: '^1\\.0$',
    maxLength: 3,
    example: '1.0',
  }),
  id,
  source: z.string().meta({
    description: 'The base URL of the store.',
    format: 'uri',
    maxLength: 2048,
    example: 'http://127.0.0.1:8080',
  }),
  subject,
  time,
  datacontenttype: z.string().meta({
    description: 'The media type of `data`.',
    pattern: '^application/json$',
    maxLength: 16,
    example: 'application/json',
  }),
  sequence: z.string().meta({
    description:
      'The position of the event: a decimal number with leading zeros, so that string order is numeric order.',
    pattern: `^[0-9]{${SEQUENCE_DIGITS}}$`,
    maxLength: SEQUENCE_DIGITS,
    example: '0000000000000000721',
  }),
  traceparent: z.string().optional().meta({
    description:
      'The trace of the request that made the change (W3C Trace Context), if the request named one.',
    pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
    maxLength: 55,
    example: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  }),
}

const envelopeExample = {
  specversion: '1.0',
  id: '721',
  source: 'http://127.0.0.1:8080',
  time: '2026-11-21T09:30:00.120Z',
  datacontenttype: 'application/json',
  sequence: '0000000000000000721',
}

/** What events and audit entries are about: the kind of resource, its event types, and the resource as `data`. */
interface Topic<Types extends readonly string[], Data extends z.ZodType> {
  readonly noun: string
  readonly types: Types
  readonly data: Data
  readonly subject: string
  readonly example: object
}

const topic = <const Types extends readonly string[], Data extends z.ZodType>(about: Topic<Types, Data>) =>
  about

export const petTopic = topic({
  noun: 'a pet',
  types: petTypes,
  data: Pet,
  subject: 'pets/3',
  example: { id: 3, name: 'Biscuit (Beagle)', categoryId: 1, status: 'available', price: 69000 },
})
export const categoryTopic = topic({
  noun: 'a category',
  types: categoryTypes,
  data: Category,
  subject: 'categories/1',
  example: { id: 1, name: 'Dogs' },
})
export const orderTopic = topic({
  noun: 'an order',
  types: orderTypes,
  data: Order,
  subject: 'orders/1',
  example: orderExample,
})
export const inventoryTopic = topic({
  noun: 'the stock of a pet',
  types: inventoryTypes,
  data: InventoryItem,
  subject: 'inventory/3',
  example: { petId: 3, quantity: 1, status: 'pending', reserved: 1 },
})
export const webhookTopic = topic({
  noun: 'a webhook',
  types: ['petstore.webhook.disabled', TEST_TYPE],
  data: Webhook,
  subject: 'webhooks/1',
  example: {
    id: 1,
    url: 'https://till.example',
    enabled: false,
    disabledReason: 'gone',
    createdAt: '2026-11-21T09:30:00.120Z',
  },
})

/** What the schemas of events, or of audit entries, have in common. */
interface Kind<Members extends z.ZodRawShape> {
  /** The last part of the names of the schemas. */
  readonly name: string
  readonly text: (noun: string) => string
  readonly members: Members
  readonly example: object
}

/** Returns the schema of an event or an audit entry of one type. */
function schemaOf<Type extends string, Data extends z.ZodType, Members extends z.ZodRawShape>(
  { noun, data, subject: about, example }: Topic<readonly string[], Data>,
  { name, text, members, example: shared }: Kind<Members>,
  type: Type,
) {
  const id = pascalCase(type.replace('petstore.', '')) + name
  const typeSchema = z
    .literal(type)
    .meta({ title: `${id}Type`, description: 'The type.', example: type, ...constantNames([type]) })
  return z.object({ ...members, type: typeSchema, data }).meta({
    id,
    description: `${text(noun)} \`data\` is the resource after the change; for \`deleted\` and \`cancelled\`, its last state.`,
    example: { ...shared, subject: about, type, data: example },
  })
}

/** The schemas of a topic, in the order of its types. */
type SchemasAbout<Types extends readonly string[], Data extends z.ZodType, Members extends z.ZodRawShape> = {
  [Index in keyof Types]: ReturnType<typeof schemaOf<Types[Index], Data, Members>>
}

/**
 * Returns the schemas of the events or audit entries about one topic, one for each type: many generators know only one
 * value of a discriminator for each schema.
 */
export function schemasAbout<
  const Types extends readonly string[],
  Data extends z.ZodType,
  Members extends z.ZodRawShape,
>(topic: Topic<Types, Data>, kind: Kind<Members>): SchemasAbout<Types, Data, Members> {
  // Safe: `map` returns one schema for each type, in the same order.
  return topic.types.map(type => schemaOf(topic, kind, type)) as SchemasAbout<Types, Data, Members>
}

const event = {
  name: 'Event',
  text: (noun: string) => `An event about ${noun}.`,
  members: envelope,
  example: envelopeExample,
}

/** The schemas of the events that are sent, one for each type: those of the feed, and the test event. */
export const eventSchemas = [
  ...schemasAbout(petTopic, event),
  ...schemasAbout(categoryTopic, event),
  ...schemasAbout(orderTopic, event),
  ...schemasAbout(inventoryTopic, event),
  ...schemasAbout(webhookTopic, event),
] as const

export const Event = z.discriminatedUnion('type', eventSchemas).meta({
  id: 'Event',
  description:
    'An event in the JSON format of CloudEvents 1.0, with the extension `sequence`. Its `type` determines its schema. Later versions may add types: request those you know with `type=`, and ignore others.',
  example: {
    ...envelopeExample,
    type: 'petstore.order.placed',
    subject: 'orders/1',
    data: orderExample,
  },
})
export type Event = z.output<typeof Event>
