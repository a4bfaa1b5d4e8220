import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { parse } from 'yaml'
import { describeIn } from '../../src/openapi/renderings.ts'
import { storeApi } from '../../src/openapi/store-api.ts'
import { hostApi } from '../../src/sandboxes/host-api/description.ts'
import { eventTypes } from '../../src/shop/log/event-types.ts'
import { writeJson } from '../../src/values/json.ts'
import { run } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { openTestStore } from '../support/store.ts'
import { runTool, scratch } from '../support/tool.ts'
import { partAt, readDocument } from './document.ts'

const BASE = 'http://127.0.0.1:8080'
const TOOL_MS_MAX = 120_000
const versions = ['3.1', '3.2'] as const

const apis = { store: storeApi, 'host of sandboxes': hostApi }
const cases = Object.entries(apis).flatMap(([name, api]) =>
  versions.map(version => ({
    name,
    version,
    api,
    text: writeJson(describeIn(version, api, { base: BASE })),
  })),
)

/** Returns what a client depends on: each operation with its parameters, bodies, statuses, headers and media types. */
function outline(json: unknown): unknown {
  return [...readDocument(json).operations.values()].map(operation => ({
    id: `${operation.method} ${operation.path} ${operation.operationId}`,
    parameters: operation.parameters.map(({ name, in: place, required, example }) => [
      place,
      name,
      required,
      example,
    ]),
    body: [operation.requestBody?.required, Object.keys(operation.requestBody?.content ?? {})],
    responses: Object.entries(operation.responses).map(([status, { headers, content, links }]) => [
      status,
      Object.keys(headers),
      Object.keys(content),
      Object.keys(links),
    ]),
    codes: operation['x-error-codes'],
    // From 3.1 on, a requirement names the scope.
    security: operation.security?.map(Object.keys),
  }))
}

describe.each(cases)('the description of a $name in OpenAPI $version', ({ version, api, text }) => {
  test(
    'two validators find nothing in it',
    async () => {
      using directory = scratch()
      const file = join(directory.path, 'openapi.json')
      writeFileSync(file, text)
      const { exitCode, printed } = await runTool('redocly', ['lint', '--extends', 'spec', file])
      expect([exitCode, exitCode === 0 ? '' : printed]).toEqual([0, ''])
      const validator = new Validator()
      expect(await validator.validate(JSON.parse(text))).toMatchObject({ valid: true })
      expect(validator.version).toBe(version)
    },
    TOOL_MS_MAX,
  )

  test('it has the operations, parameters, bodies and responses of the description in OpenAPI 3.0.3', () => {
    const contract: unknown = JSON.parse(writeJson(describeIn('3.0', api, { base: BASE })))
    expect(outline(JSON.parse(text))).toEqual(outline(contract))
  })

  test('it has no keyword that OpenAPI 3.1 replaced', () => {
    expect(text).not.toMatch(/"nullable"|"x-webhooks"|"example":|"exclusiveMinimum":true|"format":"binary"/)
  })
})

test('control: a validator refuses a rendering with a keyword of another version', async () => {
  const document = JSON.parse(writeJson(describeIn('3.1', storeApi, { base: BASE })))
  Reflect.set(document.info, 'licence', {})
  expect((await new Validator().validate(document)).valid).toBe(false)
})

test('OpenAPI 3.1 says what 3.0 cannot: webhooks, null as a type, constants, and the license by its identifier', () => {
  const document: unknown = JSON.parse(writeJson(describeIn('3.1', storeApi, { base: BASE })))
  expect(Object.keys(partAt(document, '#/webhooks'))).toContain('petstore.order.placed')
  expect(partAt(document, '#/components/schemas/WebhookPatch/properties/description')).toMatchObject({
    type: ['string', 'null'],
  })
  expect(partAt(document, '#/components/schemas/PetCreatedEvent/properties/type')).toMatchObject({
    type: 'string',
    const: 'petstore.pet.created',
  })
  expect(partAt(document, '#/info/license')).toEqual({ name: 'MIT', identifier: 'MIT' })
})

test('from OpenAPI 3.1 on, a security requirement names the scope that a key needs', () => {
  const document = JSON.parse(writeJson(describeIn('3.1', storeApi, { base: BASE })))
  expect(document.paths['/pets'].post.security).toEqual([{ key: ['pets:write'] }])
  expect(document.paths['/pets'].get.security).toEqual([{}, { key: [] }])
})

test('OpenAPI 3.2 describes the events of the streams, and groups the tags', () => {
  const document: unknown = JSON.parse(writeJson(describeIn('3.2', storeApi, { base: BASE })))
  const content = partAt(document, '#/paths/~1events~1stream/get/responses/200/content/text~1event-stream')
  expect(Object.keys(content)).toEqual(['examples', 'itemSchema'])
  expect(content).toMatchObject({
    itemSchema: {
      required: ['id', 'event', 'data'],
      properties: {
        event: { enum: expect.arrayContaining([...eventTypes]) },
        data: { contentSchema: { $ref: '#/components/schemas/Event' } },
      },
    },
  })
  const tags = readDocument(document).document.tags
  const groups = new Set(tags.flatMap(({ parent }) => (typeof parent === 'string' ? [parent] : [])))
  expect([...groups].every(group => tags.some(({ name }) => name === group))).toBe(true)
  expect(tags.filter(({ name, parent }) => parent === undefined && !groups.has(name))).toEqual([])
  const host: unknown = JSON.parse(writeJson(describeIn('3.2', hostApi, { base: BASE })))
  expect(JSON.stringify(host)).toContain('"contentSchema":{"$ref":"#/components/schemas/LoggedRequest"}')
})

test('a store serves each rendering as JSON and as YAML, and petstore openapi --format prints it', async () => {
  await using store = await openTestStore('sqlite')
  for (const version of versions) {
    const json = await (await fetch(`${store.base}/openapi-${version}.json`)).json()
    const yaml = await fetch(`${store.base}/openapi-${version}.yaml`)
    expect(yaml.headers.get('content-type')).toBe('application/yaml')
    expect(parse(await yaml.text())).toEqual(json)
    const { exitCode, output } = await run(['openapi', '--format', version, '--base-url', store.base])
    expect([exitCode, parse(output)]).toEqual([0, json])
  }
  const refused = await run(['openapi', '--format', '2.0'])
  expect([refused.exitCode, refused.errors]).toEqual([2, expect.stringContaining('3.0, 3.1, 3.2')])
})

test('openapi.yaml is the contract: petstore openapi prints OpenAPI 3.0.3 by default', async () => {
  const { output } = await run(['openapi'])
  expect(output).toBe(await Bun.file(join(ROOT, 'openapi.yaml')).text())
})
