import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Operation } from '../../src/contract/operation.ts'
import { describe as describeStore } from '../../src/openapi/document.ts'
import { storeApi } from '../../src/openapi/store-api.ts'
import { writeYaml } from '../../src/openapi/yaml.ts'
import { contract } from '../../src/shop/registry/operations.ts'
import { openDemo } from '../support/demo-store.ts'
import { run } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { openTestStore } from '../support/store.ts'
import {
  type ExampleResponse,
  evaluated,
  operationOf,
  sendExamples,
  successOf,
} from './description-session.ts'
import { partAt, readDocument, referencesIn } from './document.ts'
import { validatorOf } from './document-schemas.ts'
import { expectEvents, useWebhooks, withPlaceholders } from './events-session.ts'

const base = 'http://127.0.0.1:8080'
const committed = readFileSync(join(ROOT, 'openapi.yaml'), 'utf8')
const described = readDocument(parse(committed))
const operations = [...described.operations.values()]
const CreatedKey = z.looseObject({ key: z.string() })

/** Throws unless an operation has responded with its example, apart from values that differ in each run. */
function expectExample(id: string, response: ExampleResponse): void {
  const { status, example } = successOf(operationOf(described, id))
  const [shown, sent] = [withPlaceholders(example), withPlaceholders(response.body)]
  expect([id, response.status]).toEqual([id, status])
  if (Array.isArray(shown)) expect(sent).toEqual(expect.arrayContaining(shown))
  else expect(sent).toEqual(shown)
}

describe('the description', () => {
  test('openapi.yaml is generated from the contract (if it is not: npm run openapi)', () => {
    const written = writeYaml(describeStore(storeApi, { base }))
    expect(committed === written ? 'the same' : 'openapi.yaml is out of date: npm run openapi').toBe(
      'the same',
    )
  })

  test('petstore openapi prints openapi.yaml, or the same as JSON, for any address', async () => {
    expect((await run(['openapi'])).output).toBe(committed)
    expect(JSON.parse((await run(['openapi', '--json'])).output)).toEqual(parse(committed))
    const elsewhere = await run(['openapi', '--base-url', 'https://pets.example/'])
    expect(readDocument(parse(elsewhere.output)).document.servers[0]?.url).toBe('https://pets.example')
  })

  test('a store serves the description as JSON and as YAML, with its own address', async () => {
    await using store = await openTestStore('sqlite')
    const json = await fetch(`${store.base}/openapi.json`)
    const yaml = await fetch(`${store.base}/openapi.yaml`)
    expect([json.headers.get('content-type'), yaml.headers.get('content-type')]).toEqual([
      'application/json',
      'application/yaml',
    ])
    const text = await yaml.text()
    expect(await json.json()).toEqual(parse(text))
    expect(text.replaceAll(store.base, base)).toBe(committed)
  })

  test('a parser of YAML 1.1 reads the same document: dates and numbers in strings are quoted', () => {
    expect(parse(committed, { version: '1.1' })).toEqual(parse(committed))
    expect(committed).toContain('x-sunset: "2027-12-31"')
  })
})

describe('the content of the description', () => {
  test('no request body is optional', () => {
    const bodies = operations.flatMap(({ requestBody }) => (requestBody ? [requestBody.required] : []))
    expect(bodies.length).toBeGreaterThan(10)
    expect(bodies).not.toContain(false)
  })

  test('every schema of the specification has the specified name and exactly the specified required members', () => {
    const required: Record<string, string[] | undefined> = {}
    for (const [name, schema] of Object.entries(described.document.components.schemas)) {
      required[name] = z
        .object({ required: z.array(z.string()).optional() })
        .parse(schema)
        .required?.sort()
    }
    expect(required).toMatchObject({
      NewPet: ['categoryId', 'name'],
      Pet: ['categoryId', 'id', 'name'],
      NewCategory: ['name'],
      Category: ['id', 'name'],
      InventoryItem: ['petId', 'quantity', 'status'],
      InventoryUpdate: ['quantity'],
      Error: ['code', 'message', 'status'],
      NewOrder: ['petId'],
      StockAdjustment: ['quantityChange'],
    })
    expect(Object.keys(required)).toContain('Order')
    expect(required.Order).toBeUndefined()
    const { PetStatus, Pets } = described.document.components.schemas
    expect(PetStatus).toMatchObject({ type: 'string', enum: ['available', 'pending', 'sold'] })
    expect(Pets).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } })
  })

  test('every id, petId, categoryId and orderId is a 64-bit integer, except the id of an event', () => {
    const ids = [...committed.matchAll(/^( +)(id|petId|categoryId|orderId):\n((?:\1 .*\n)+)/gm)]
    expect(ids.length).toBeGreaterThan(15)
    for (const [whole, , , schema = ''] of ids) {
      // The id of an event is a string, as CloudEvents specifies.
      if (schema.includes('$ref') || !schema.includes('type:') || schema.includes('The id of the event'))
        continue
      expect(`${whole.trim()} ${/format: int64/.test(schema) && /type: integer/.test(schema)}`).toEndWith(
        'true',
      )
    }
  })

  test('the description has every operation that is not hidden, and no schema of a hidden operation', () => {
    const entries = Object.entries<Operation>(contract)
    expect([...described.operations.keys()].sort()).toEqual(
      entries.flatMap(([id, { hidden }]) => (hidden ? [] : [id])).sort(),
    )
    expect(committed).not.toMatch(/import/i)
  })

  test('every reference has a target, and every component is referenced', () => {
    const references = new Set(referencesIn(described.document))
    for (const reference of references) partAt(described.document, reference)
    const { securitySchemes: _, ...sections } = described.document.components
    const components = Object.entries(sections).flatMap(([section, parts]) =>
      Object.keys(z.looseObject({}).parse(parts)).map(name => `#/components/${section}/${name}`),
    )
    expect(components.filter(component => !references.has(component))).toEqual([])
  })

  test('every operation says which key it requires, and names a required scope in its text and in x-scope', () => {
    const sentences: Readonly<Record<string, string>> = {
      public: 'Requires no key.',
      'any-key': 'Requires any valid key.',
    }
    for (const operation of operations) {
      const { scope = '' } =
        Object.entries<Operation>(contract).find(([id]) => id === operation.operationId)?.[1] ?? {}
      const isPublic = scope === 'public'
      expect([operation.operationId, operation.security, operation['x-scope']]).toEqual([
        operation.operationId,
        isPublic ? [{}, { key: [] }] : [{ key: [] }],
        sentences[scope] === undefined ? scope : undefined,
      ])
      expect(operation.description).toContain(sentences[scope] ?? `\`${scope}\``)
    }
  })

  test('deprecated, beta and experimental operations are marked in every form that tools look for', () => {
    const stages = operations.flatMap(operation => {
      const words = Object.entries(operation).filter(([name]) => /^(deprecated|x-(?!scope))/.test(name))
      return words.length > 0 ? [[operation.operationId, Object.fromEntries(words)]] : []
    })
    const beta = { 'x-stability': 'beta', 'x-stability-level': 'beta' }
    expect(Object.fromEntries(stages)).toMatchObject({
      getPet: {
        deprecated: true,
        'x-deprecated-sunset': '2027-12-31',
        'x-sunset': '2027-12-31',
        'x-scalar-stability': 'deprecated',
      },
      adjustInventory: beta,
      listMovements: beta,
      getStoreSummary: {
        'x-stability': 'experimental',
        'x-stability-level': 'draft',
        'x-scalar-stability': 'experimental',
      },
    })
    const { parameters } = operationOf(described, 'getStoreSummary')
    expect(parameters).toMatchObject([{ name: 'Petstore-Preview', in: 'header', required: true }])
  })

  test('operations that the gate hides are in no part of the description, including links', () => {
    const stable = readDocument(
      describeStore(storeApi, { base, serves: ({ stability }) => stability === undefined }),
    )
    const linked = [...stable.operations.values()].flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ links }) => Object.values(links).map(link => link.operationId)),
    )
    expect(linked.length).toBeGreaterThan(5)
    expect(linked.filter(id => !stable.operations.has(id))).toEqual([])
    expect(JSON.stringify(stable.document)).not.toMatch(
      /listMovements|StockMovement|Petstore-Stability|Sunset/,
    )
  })
})

describe('examples of the description', () => {
  const validate = validatorOf(described.document)

  test('the examples of the description are valid against their own schemas', () => {
    const faults: string[] = []
    const check = (where: string, schema: unknown, example: unknown): void => {
      faults.push(...validate(schema, example).map(why => `${where}: ${why}`))
    }
    for (const [name, schema] of Object.entries(described.document.components.schemas)) {
      // Error has an example for each code, in the responses.
      if (name !== 'Error') check(name, { $ref: `#/components/schemas/${name}` }, schema.example)
    }
    for (const { operationId, parameters, requestBody, responses } of operations) {
      for (const { name, schema, example } of parameters) check(`${operationId} ${name}`, schema, example)
      const contents = [requestBody?.content ?? {}, ...Object.values(responses).map(({ content }) => content)]
      for (const { schema, example, examples } of contents.flatMap(content => Object.values(content))) {
        if (example !== undefined) check(operationId, schema, example)
        for (const [code, { value }] of Object.entries(examples ?? {})) check(code, schema, value)
      }
    }
    expect(faults).toEqual([])
  })

  test('the description has an example for every body of a request, of a success and of a refusal', () => {
    const bare = operations.flatMap(({ operationId, requestBody, responses }) => {
      const contents = [requestBody?.content ?? {}, ...Object.values(responses).map(({ content }) => content)]
      return contents.flatMap(content =>
        Object.entries(content)
          .filter(([type, { example, examples }]) => !type.includes('problem') && !example && !examples)
          .map(([type]) => `${operationId} ${type}`),
      )
    })
    expect(bare).toEqual([])
  })

  test('the examples of the description are the requests and responses of one session with the demo shop', async () => {
    await using store = await openDemo()
    const session =
      `listErrors getError listCategories getCategory listPets getPet listInventory createKey listKeys
      getCurrentKey createCategory createPet placeOrder getOrder listOrders getInventoryItem listMovements
      getStoreSummary adjustInventory setInventory updatePet updateOrder updateCategory revokeKey`.split(
        /\s+/,
      )
    let key: string | undefined
    for (const id of session) {
      const given = id === 'getCurrentKey' ? { key } : {}
      const response = await sendExamples(store, operationOf(described, id), given)
      if (id === 'createKey') key = CreatedKey.parse(response.body).key
      expectExample(id, response)
    }
    const webhookResponses = await useWebhooks(store, described)
    for (const [id, response] of webhookResponses) {
      // The first page of the feed has the events of the demo shop. expectEvents looks for those of the examples.
      if (id !== 'listEvents') expectExample(id, response)
      else expect(response.status).toBe(200)
    }
    const requested = [...session, ...webhookResponses.map(([id]) => id), 'streamEvents']
    const unrequested = operations.filter(
      ({ operationId, method }) => !requested.includes(operationId) && method !== 'DELETE',
    )
    expect(
      unrequested.map(({ operationId }) => operationId),
      'each belongs into the list `session`, at its place',
    ).toEqual([])
    await expectEvents(store)
  })

  test('each operation has an example of an Idempotency-Key of its own, and no example waits for events', () => {
    const keys = operations.flatMap(({ parameters }) =>
      parameters.filter(({ name }) => name === 'Idempotency-Key').map(({ example }) => example),
    )
    expect(keys.length).toBeGreaterThan(12)
    expect(new Set(keys).size).toBe(keys.length)
    const waits = operations.flatMap(({ parameters }) => parameters.filter(({ name }) => name === 'wait'))
    expect(waits.map(({ example }) => example)).toEqual([0])
  })

  test('a response header that is sent only sometimes has no example', () => {
    const headers = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ headers }) => Object.entries(headers)),
    )
    const odd = headers.filter(([, { required, example }]) => (required === true) === (example === undefined))
    expect(odd.map(([name]) => name)).toEqual([])
    expect(headers.some(([, { required }]) => !required)).toBe(true)
  })

  test('the examples of query parameters are accepted unchanged', async () => {
    await using store = await openDemo()
    await sendExamples(store, operationOf(described, 'createWebhook'))
    for (const operation of operations) {
      for (const { name, in: place, example } of operation.parameters) {
        if (place !== 'query') continue
        const others = operation.parameters.filter(
          one => one.in === 'query' && one.required && one.name !== name,
        )
        const query = [{ name, example }, ...others].flatMap(one =>
          [one.example].flat().map(value => `${one.name}=${encodeURIComponent(String(value))}`),
        )
        const path = operation.path.replace(/\{petId\}/, '3').replace(/\{webhookId\}/, '1')
        const answer = await store.send(operation.method, `${path}?${query.join('&')}`)
        await answer.body?.cancel()
        expect(`${operation.operationId} ${name} ${answer.status}`).toBe(
          `${operation.operationId} ${name} ${successOf(operation).status}`,
        )
      }
    }
  })
})

test('every link leads from a success to an operation that accepts its values', async () => {
  await using store = await openDemo()
  await store.client.setInventory({ petId: 3n, body: { quantity: 100n } })
  const followed: string[] = []
  for (const operation of operations) {
    const links = operation.responses[successOf(operation).status]?.links ?? {}
    for (const [name, link] of Object.entries(links)) {
      const made = await sendExamples(store, operation)
      const next = operationOf(described, link.operationId)
      const parameters = Object.fromEntries(
        Object.entries(link.parameters ?? {}).map(([key, value]) => [key, evaluated(value, made.body)]),
      )
      const known = next.parameters.map(parameter => parameter.name)
      expect(Object.keys(parameters).filter(key => !known.includes(key))).toEqual([])
      const response = await sendExamples(store, next, { parameters })
      expect(`${operation.operationId} ${name} ${response.status}`).toBe(
        `${operation.operationId} ${name} ${successOf(next).status}`,
      )
      followed.push(`${operation.operationId} ${link.operationId}`)
    }
  }
  for (const pair of ['createPet getInventoryItem', 'placeOrder cancelOrder', 'createKey revokeKey']) {
    expect(followed).toContain(pair)
  }
})
