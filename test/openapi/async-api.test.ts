import { expect, test } from 'bun:test'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { eventTypes } from '../../src/shop/log/event-types.ts'
import { TOOLS } from '../support/root.ts'
import { openTestStore } from '../support/store.ts'

/** The part of the parser of AsyncAPI that this test calls. Its types need more packages than its code. */
interface ParserModule {
  readonly Parser: new () => {
    parse(text: string): Promise<{ readonly document?: unknown; readonly diagnostics: readonly unknown[] }>
  }
}
const { Parser }: ParserModule = createRequire(`${TOOLS}/`)('@asyncapi/parser')

const Diagnostic = z.object({
  message: z.string(),
  severity: z.number(),
  code: z.union([z.string(), z.number()]),
})
/** The severity of an error; higher numbers are warnings and advice. */
const ERROR = 0

/** Returns the errors that the parser of AsyncAPI finds. */
async function errorsIn(text: string): Promise<string[]> {
  const { diagnostics } = await new Parser().parse(text)
  return z
    .array(Diagnostic)
    .parse(diagnostics)
    .filter(({ severity }) => severity === ERROR)
    .map(({ code, message }) => `${code}: ${message}`)
}

const Channel = z.looseObject({
  address: z.string(),
  messages: z.record(z.string(), z.looseObject({ name: z.string().optional() })),
})
const Query = z.object({ properties: z.record(z.string(), z.unknown()) })
const Sending = z.object({ bindings: z.object({ http: z.looseObject({ query: Query.optional() }) }) })
const Document = z.looseObject({
  asyncapi: z.literal('3.0.0'),
  servers: z.object({
    store: z.looseObject({ host: z.string(), protocol: z.string() }),
    receiver: z.unknown(),
  }),
  channels: z.object({ feed: Channel, stream: Channel, deliveries: Channel }),
  operations: z.object({ sendPage: Sending, sendEvent: Sending, deliverEvent: z.unknown() }),
  components: z.looseObject({
    messages: z.record(z.string(), z.looseObject({ name: z.string() })),
    schemas: z.record(z.string(), z.unknown()),
  }),
})

test('the parser of AsyncAPI finds no error in /asyncapi.yaml, and it has every event type', async () => {
  await using store = await openTestStore('sqlite')
  const yaml = await fetch(`${store.base}/asyncapi.yaml`)
  expect(yaml.headers.get('content-type')).toBe('application/yaml')
  expect(await errorsIn(await yaml.text())).toEqual([])
  const document = Document.parse(await (await fetch(`${store.base}/asyncapi.json`)).json())
  expect(`${document.servers.store.protocol}://${document.servers.store.host}`).toBe(store.base)
  const { channels, components, operations } = document
  const streamed = Object.keys(channels.stream.messages).map(name => components.messages[name]?.name)
  expect(streamed.sort()).toEqual([...eventTypes].sort())
  const delivered = Object.values(channels.deliveries.messages).map(({ name }) => name)
  expect(delivered.sort()).toEqual([...eventTypes, 'petstore.webhook.test'].sort())
  const queryOf = ({ bindings }: z.output<typeof Sending>) =>
    Object.keys(bindings.http.query?.properties ?? {})
  expect(queryOf(operations.sendPage)).toEqual(['after', 'type', 'petId', 'limit', 'wait'])
  expect(queryOf(operations.sendEvent)).toEqual(['after', 'type', 'seconds'])
  const { type } = operations.sendPage.bindings.http.query?.properties ?? {}
  expect(type).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/FeedEventType' } })
  expect(components.schemas.FeedEventType).toMatchObject({ type: 'string', enum: [...eventTypes] })
  // Generators name models by schemas and channels, without regard to case.
  const names = [...Object.keys(components.schemas), ...Object.keys(channels)].map(name => name.toLowerCase())
  expect(new Set(names).size).toBe(names.length)
  expect(components.schemas).toHaveProperty('EventPage')
})

test('a store that serves no events describes none, and the parser of AsyncAPI accepts that', async () => {
  await using store = await openTestStore('sqlite', { stability: 'stable' })
  const text = await (await fetch(`${store.base}/asyncapi.yaml`)).text()
  expect(await errorsIn(text)).toEqual([])
  expect(text).toContain('channels: {}')
})

test('control: the parser of AsyncAPI finds a channel without a server, and an operation that is none', async () => {
  await using store = await openTestStore('sqlite')
  const text = await (await fetch(`${store.base}/asyncapi.json`)).text()
  expect(await errorsIn(text.replaceAll('#/servers/store', '#/servers/shop'))).not.toEqual([])
  expect((await errorsIn(text.replace('"action":"send"', '"action":"sent"'))).join('\n')).toContain('action')
})
