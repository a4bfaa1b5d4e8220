import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { runScript, scratch } from '../support/tool.ts'
import { readDocument } from './document.ts'
import { type CollectionRequest, runCollection } from './generators/collections.ts'

/** The folder in which the collections are built. */
const built = scratch()
const TOOL_MS_MAX = 120_000

beforeAll(async () => {
  const written = await runScript([join(ROOT, 'build/collections.ts'), built.path])
  expect([written.exitCode, written.exitCode === 0 ? '' : written.printed]).toEqual([0, ''])
}, TOOL_MS_MAX)

afterAll(() => built[Symbol.dispose]())

/** A request of a collection, with its folder and its name. */
interface PlacedRequest extends CollectionRequest {
  readonly tag: string
  readonly name: string
  /** Whether the request sends the key of the collection. */
  readonly sendsKey: boolean
}

/** Replaces the variables of a header or a query value, as Postman and Bruno do. Throws for any other variable. */
function resolved(text: string): string {
  return text.replaceAll(/\{\{(.*?)\}\}/g, (_, name: string) => {
    if (name === '$guid') return randomUUID()
    if (name === 'key') return ADMIN_KEY
    throw new Error(`this test has no value for the variable ${name}`)
  })
}

const PostmanPair = z.object({ key: z.string(), value: z.string(), disabled: z.literal(true).optional() })
const PostmanCollection = z.object({
  info: z.object({
    schema: z.literal('https://schema.getpostman.com/json/collection/v2.1.0/collection.json'),
  }),
  auth: z.object({
    type: z.literal('bearer'),
    bearer: z.tuple([z.object({ key: z.literal('token'), value: z.literal('{{key}}') })]),
  }),
  variable: z.array(z.object({ key: z.string(), value: z.string() })),
  item: z.array(
    z.object({
      name: z.string(),
      item: z.array(
        z.object({
          name: z.string(),
          event: z
            .tuple([
              z.object({ listen: z.literal('prerequest'), script: z.object({ exec: z.array(z.string()) }) }),
            ])
            .optional(),
          request: z.strictObject({
            description: z.unknown(),
            method: z.string(),
            url: z.object({
              raw: z.string(),
              host: z.tuple([z.literal('{{baseUrl}}')]),
              path: z.array(z.string()),
              query: z.array(PostmanPair),
              variable: z.array(PostmanPair),
            }),
            header: z.array(PostmanPair),
            body: z.object({ mode: z.literal('raw'), raw: z.string() }).optional(),
            auth: z.object({ type: z.literal('noauth') }).optional(),
          }),
        }),
      ),
    }),
  ),
})

function postmanRequests(): PlacedRequest[] {
  const enabled = (pairs: z.output<typeof PostmanPair>[]): [string, string][] =>
    pairs.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, resolved(value)])
  const { item, variable } = PostmanCollection.parse(
    JSON.parse(readFileSync(join(built.path, 'postman.json'), 'utf8')),
  )
  expect(variable).toEqual([
    { key: 'baseUrl', value: 'http://127.0.0.1:8080' },
    { key: 'key', value: '' },
  ])
  return item.flatMap(({ name: tag, item }) =>
    item.map(({ name, request: { method, url, header, body, auth } }) => ({
      ...{ tag, name, method, path: `/${url.path.join('/')}`, sendsKey: auth === undefined },
      pathValues: Object.fromEntries(url.variable.map(({ key, value }) => [key, value])),
      query: enabled(url.query),
      headers: enabled(header),
      body: body?.raw,
    })),
  )
}

/** The parts of the reader of Bruno files that this test calls. The package has no types. */
interface BrunoReader {
  bruToJsonV2(text: string): unknown
  collectionBruToJson(text: string): unknown
  bruToEnvJsonV2(text: string): unknown
}
const brunoReader: BrunoReader = createRequire(import.meta.url)('@usebruno/lang')

const BrunoPair = z.object({ name: z.string(), value: z.string(), enabled: z.boolean() })
const BrunoRequest = z.object({
  meta: z.object({ name: z.string(), seq: z.coerce.number() }),
  http: z.object({
    method: z.string(),
    url: z.string().startsWith('{{baseUrl}}/'),
    body: z.enum(['json', 'none']),
    auth: z.enum(['inherit', 'none']),
  }),
  params: z.array(BrunoPair.extend({ type: z.enum(['query', 'path']) })).default([]),
  headers: z.array(BrunoPair).default([]),
  body: z.object({ json: z.string().optional() }).default({}),
})
const BrunoFolder = z.object({ meta: z.object({ name: z.string(), seq: z.coerce.number() }) })

function readBruno(...path: string[]): string {
  return readFileSync(join(built.path, 'bruno', ...path), 'utf8')
}

function brunoRequests(): PlacedRequest[] {
  const folders = readdirSync(join(built.path, 'bruno'), { withFileTypes: true })
    .filter(entry => entry.isDirectory() && entry.name !== 'environments')
    .map(({ name }) => ({
      name,
      meta: BrunoFolder.parse(brunoReader.collectionBruToJson(readBruno(name, 'folder.bru'))).meta,
    }))
    .sort((a, b) => a.meta.seq - b.meta.seq)
  return folders.flatMap(folder =>
    readdirSync(join(built.path, 'bruno', folder.name))
      .filter(file => file !== 'folder.bru')
      .map(file => BrunoRequest.parse(brunoReader.bruToJsonV2(readBruno(folder.name, file))))
      .sort((a, b) => a.meta.seq - b.meta.seq)
      .map(request => placedRequest(folder.meta.name, request)),
  )
}

function placedRequest(tag: string, request: z.output<typeof BrunoRequest>): PlacedRequest {
  const { meta, http, params, headers, body } = request
  const url = new URL(http.url.replace('{{baseUrl}}', 'http://store'))
  // Bruno sends the query in the URL, but displays the list of parameters. Both must be the same.
  const query = [...url.searchParams]
  const shown = params.filter(({ type, enabled }) => type === 'query' && enabled)
  expect([meta.name, query]).toEqual([meta.name, shown.map(({ name, value }) => [name, value])])
  const sent: [string, string][] = headers
    .filter(({ enabled }) => enabled)
    .map(({ name, value }) => [name, resolved(value)])
  return {
    ...{ tag, name: meta.name, method: http.method.toUpperCase(), path: url.pathname },
    pathValues: Object.fromEntries(
      params.filter(({ type }) => type === 'path').map(({ name, value }) => [name, value]),
    ),
    query,
    // Bruno adds the content type of a JSON body when it sends the request.
    headers: http.body === 'json' ? [...sent, ['Content-Type', 'application/json']] : sent,
    body: body.json,
    sendsKey: http.auth === 'inherit',
  }
}

const collections = [
  { name: 'Postman', requestsIn: postmanRequests },
  { name: 'Bruno', requestsIn: brunoRequests },
]

test.each(collections)('every request of the collection for $name succeeds', async ({ requestsIn }) => {
  const requests = requestsIn().map(({ sendsKey, headers, ...request }) => ({
    ...request,
    headers: sendsKey ? [...headers, ['Authorization', `Bearer ${ADMIN_KEY}`] as const] : headers,
  }))
  expect(await runCollection(requests, [])).toEqual([])
})

test.each(collections)('the stream comes last in the collection for $name', ({ requestsIn }) => {
  expect(requestsIn().at(-1)).toMatchObject({ path: '/events/stream', query: [['seconds', '1']] })
})

test('in both collections, only the request that acts on a delivery waits for its first attempt', () => {
  const bruno = readdirSync(join(built.path, 'bruno'), { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.bru') && readBruno(file).includes('bru.sleep(6000)'),
  )
  expect(bruno).toEqual([join('webhooks', 'redeliver-an-event.bru')])
  const postman = PostmanCollection.parse(JSON.parse(readFileSync(join(built.path, 'postman.json'), 'utf8')))
  const waiting = postman.item.flatMap(({ item }) => item.filter(({ event }) => event !== undefined))
  expect(waiting.map(({ name, event }) => [name, event?.[0].script.exec])).toEqual([
    ['Redeliver an event', ['setTimeout(() => {}, 6000)']],
  ])
})

test.each(collections)(
  'the collection for $name has the tags of the description, and a key only where one is required',
  ({ requestsIn }) => {
    const { operations } = readDocument(parse(readFileSync(join(ROOT, 'openapi.yaml'), 'utf8')))
    const requests = new Map(requestsIn().map(request => [`${request.method} ${request.path}`, request]))
    for (const { method, path, tags, summary, security } of operations.values()) {
      const request = requests.get(`${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
      expect([request?.tag, request?.name]).toEqual([tags[0], summary])
      expect([summary, request?.sendsKey]).toEqual([
        summary,
        !security.some(one => Object.keys(one).length === 0),
      ])
    }
    expect(requests.size).toBe(operations.size)
  },
)

test('the environment of the collection for Bruno has the address of a local store, and the key as a secret', () => {
  expect(brunoReader.bruToEnvJsonV2(readBruno('environments/local.bru'))).toMatchObject({
    variables: [
      { name: 'baseUrl', value: 'http://127.0.0.1:8080', secret: false },
      { name: 'key', value: '', secret: true },
    ],
  })
  expect(brunoReader.collectionBruToJson(readBruno('collection.bru'))).toMatchObject({
    auth: { mode: 'bearer', bearer: { token: '{{key}}' } },
  })
})

test('docs/generators.md names the variables of the collections', () => {
  const guide = readFileSync(join(ROOT, 'docs/generators.md'), 'utf8')
  const postman = PostmanCollection.parse(JSON.parse(readFileSync(join(built.path, 'postman.json'), 'utf8')))
  const names = postman.variable.map(({ key }) => `\`${key}\``).join(' and ')
  expect(guide).toContain(`\`postman.json\` of \`npm run collections\` has the variables ${names}`)
  const environment = readFileSync(join(built.path, 'bruno/environments/local.bru'), 'utf8')
  const [, plain, secret] = /vars \{\s+(\w+):[^}]*\}\nvars:secret \[\s+(\w+)\s+\]/.exec(environment) ?? []
  expect(guide).toContain(
    `\`bruno\` of \`npm run collections\` has \`${plain}\` and the secret \`${secret}\``,
  )
})
