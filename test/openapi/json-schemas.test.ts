import { beforeAll, expect, test } from 'bun:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { z } from 'zod'
import { openTestStore } from '../support/store.ts'
import type { Observed } from './conformance-check.ts'
import { driveEverything } from './conformance-drive.ts'
import { readDocument } from './document.ts'

const DRIVE_MS_MAX = 120_000
const Catalog = z.object({
  linkset: z.tuple([
    z.looseObject({ describedby: z.array(z.object({ href: z.string(), type: z.string() })) }),
  ]),
})

let observed: readonly Observed[] = []
let base = ''
/** The schemas as the store serves them, by their address. */
const schemas = new Map<string, object>()
let description: unknown

beforeAll(async () => {
  await using store = await openTestStore('sqlite')
  base = store.base
  const catalog = await (await fetch(`${base}/.well-known/api-catalog`)).json()
  for (const { href, type } of Catalog.parse(catalog).linkset[0].describedby) {
    const response = await fetch(href)
    expect([href, response.status, response.headers.get('content-type')]).toEqual([href, 200, type])
    schemas.set(href, z.looseObject({}).parse(await response.json()))
  }
  description = await (await fetch(`${base}/openapi.json`)).json()
  observed = await driveEverything()
}, DRIVE_MS_MAX)

/** Returns a validator that knows all schemas. Its strict mode refuses keywords that are not of JSON Schema. */
function validator(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
  addFormats.default(ajv)
  for (const schema of schemas.values()) ajv.addSchema(schema)
  return ajv
}

/** Returns the name of the schema of a described body, or of the items of a list. */
function schemaName(schema: unknown): string | undefined {
  const Named = z.object({ $ref: z.string() })
  const { data } = Named.or(z.object({ items: Named })).safeParse(schema)
  const reference = data && ('$ref' in data ? data.$ref : data.items.$ref)
  return reference?.split('/').at(-1)
}

/** Returns how many bodies of the conformance run have a schema with a name, and those that it refuses. */
function check(ajv: Ajv2020): { readonly checked: number; readonly refused: string[] } {
  const { operations } = readDocument(description)
  const refused: string[] = []
  let checked = 0
  for (const { operationId, status, headers, body } of observed) {
    const type = headers.get('content-type') ?? ''
    const name = schemaName(operations.get(operationId)?.responses[status]?.content[type]?.schema)
    if (name === undefined) continue
    const value: unknown = JSON.parse(body)
    const items = Array.isArray(value) && name !== 'Pets' ? value : [value]
    for (const item of items) {
      checked += 1
      const isValid = ajv.validate(`${base}/schemas/${name}.json`, item)
      if (!isValid) refused.push(`${operationId} ${status} ${name}: ${ajv.errorsText()}`)
    }
  }
  return { checked, refused }
}

test('the API catalogue lists a file of JSON Schema for each schema, with its address as its id', () => {
  expect(schemas.size).toBeGreaterThan(70)
  for (const [href, schema] of schemas)
    expect([Reflect.get(schema, '$id'), Reflect.get(schema, '$schema')]).toEqual([
      href,
      'https://json-schema.org/draft/2020-12/schema',
    ])
  const pet = schemas.get(`${base}/schemas/Pet.json`)
  expect(pet).toMatchObject({ title: 'Pet', properties: { status: { $ref: 'PetStatus.json' } } })
})

test('the schemas accept every response of the conformance run, and a schema that says otherwise does not', () => {
  const { checked, refused } = check(validator())
  expect(refused).toEqual([])
  expect(checked).toBeGreaterThan(500)
  const ajv = validator()
  ajv.removeSchema(`${base}/schemas/Order.json`)
  ajv.addSchema({
    $id: `${base}/schemas/Order.json`,
    type: 'object',
    properties: { complete: { type: 'string' } },
  })
  expect(check(ajv).refused.join('\n')).toContain('must be string')
})

test('an unknown schema is 404', async () => {
  await using store = await openTestStore('sqlite')
  for (const name of ['Unicorn.json', 'Pet', 'Pet.yaml', 'constructor.json'])
    expect((await fetch(`${store.base}/schemas/${name}`)).status).toBe(404)
})
