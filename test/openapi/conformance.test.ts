import { beforeAll, describe, expect, test } from 'bun:test'
import { ALWAYS_SENT } from '../../build/client-api.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { contract } from '../../src/shop/registry/operations.ts'
import { openTestStore } from '../support/store.ts'
import { checkConformance, inventedExamples, type Observed } from './conformance-check.ts'
import { driveEverything } from './conformance-drive.ts'
import { type Described, partAt, readDocument } from './document.ts'

/** How long all requests of this file may take. The server waits ten seconds for a body that does not end. */
const DRIVE_MS_MAX = 120_000

const renderings = ['3.1', '3.2'] as const

let observed: readonly Observed[] = []
let text = ''
const rendered = new Map<string, string>()

beforeAll(async () => {
  await using store = await openTestStore('sqlite')
  text = await (await fetch(`${store.base}/openapi.json`)).text()
  for (const version of renderings)
    rendered.set(version, await (await fetch(`${store.base}/openapi-${version}.json`)).text())
  observed = await driveEverything()
}, DRIVE_MS_MAX)

/** Returns the description as it was served, or with the fault that `plant` adds to it. */
function described(plant: (document: unknown) => void = () => {}): Described {
  const document: unknown = JSON.parse(text)
  plant(document)
  return readDocument(document)
}

/** Returns the faults of the description with a planted fault that it does not have without it. */
function faultsWith(plant: (document: unknown) => void): string[] {
  const own = checkConformance(described(), observed)
  return checkConformance(described(plant), observed).filter(fault => !own.includes(fault))
}

test('every response of every operation is described, and every described response was returned', () => {
  const faults = checkConformance(described(), observed)
  expect(faults, 'the requests of the operations are in conformance-requests.ts').toEqual([])
  const { operations } = described()
  expect(operations.size).toBeGreaterThanOrEqual(39)
  expect([...operations.values()].flatMap(({ responses }) => Object.keys(responses)).length).toBeGreaterThan(
    450,
  )
})

test.each(renderings)('the same holds for the rendering in OpenAPI %s', version => {
  const document: unknown = JSON.parse(rendered.get(version) ?? '')
  expect(checkConformance(readDocument(document), observed)).toEqual(checkConformance(described(), observed))
  Reflect.set(partAt(document, '#/components/schemas/Order/properties/complete'), 'type', 'string')
  expect(checkConformance(readDocument(document), observed).join('\n')).toContain('/complete must be string')
})

test('the examples of refusals have the messages that the server sends', () => {
  expect(inventedExamples(described(), observed)).toEqual([])
})

/** Returns the members that the types of the client promise and that a response lacks. */
function unkeptPromises(responses: readonly Observed[]): string[] {
  return responses.flatMap(({ operationId, status, body }) => {
    const { success } = Object.entries<Operation>(contract).find(([id]) => id === operationId)?.[1] ?? {}
    const schema =
      success && ('list' in success ? success.list : 'resource' in success ? success.resource : undefined)
    if (status >= 300 || body === '' || schema === undefined) return []
    const resources: unknown[] = [JSON.parse(body)].flat()
    return resources.flatMap(resource =>
      (ALWAYS_SENT[schema.meta()?.id ?? ''] ?? [])
        .filter(member => !Object.hasOwn(Object(resource), member))
        .map(member => `${operationId} ${status}: ${member}`),
    )
  })
}

test('every response has the members that the types of the client promise', () => {
  expect(unkeptPromises(observed)).toEqual([])
  // A control: an order without its quantity.
  const orders = observed.filter(({ operationId, status }) => operationId === 'getOrder' && status === 200)
  const wrong = orders.map(order => ({ ...order, body: '{"id":1,"petId":3,"complete":false}' }))
  expect(unkeptPromises(wrong.slice(0, 1))).toEqual(['getOrder 200: quantity'])
})

/** Returns the refusals whose message names a resource by its id, and that do not have it as their subject. */
function withoutSubject(responses: readonly Pick<Observed, 'operationId' | 'status' | 'body'>[]): string[] {
  return responses.flatMap(({ operationId, status, body }) => {
    if (status < 400 || body === '') return []
    const { message = '', subject }: { message?: string; subject?: string } = JSON.parse(body)
    const [, noun = '', id] = /\b(pet|category|order|webhook|key) (-?\d+)\b/i.exec(message) ?? []
    const kind = noun.toLowerCase() === 'category' ? 'categories' : `${noun.toLowerCase()}s`
    return id === undefined || subject === `${kind}/${id}` ? [] : [`${operationId} ${status}: ${message}`]
  })
}

test('a refusal whose message names a resource has the resource as its subject', () => {
  expect(withoutSubject(observed)).toEqual([])
  const named = observed.filter(({ status, body }) => status >= 400 && body.includes('"subject":"'))
  expect(new Set(named.map(({ body }) => /"subject":"([a-z]+)/.exec(body)?.[1]))).toEqual(
    new Set(['pets', 'categories', 'orders', 'sales', 'webhooks', 'keys']),
  )
  // A control: the messages without their subjects.
  const wrong = named.map(response => ({
    ...response,
    body: response.body.replace(/,"subject":"[^"]*"/, ''),
  }))
  expect(withoutSubject(wrong).length).toBeGreaterThan(named.length / 2)
})

describe('seeded faults of the description', () => {
  const createPet201 = '#/paths/~1pets/post/responses/201'

  test('control: a status that is not described is detected', () => {
    const faults = faultsWith(document => {
      Reflect.deleteProperty(partAt(document, '#/paths/~1pets/get/responses'), '304')
    })
    expect(faults).toEqual(['listPets 304: the status is not described'])
  })

  test('control: a status that is never returned is detected', () => {
    const faults = faultsWith(document => {
      Reflect.set(partAt(document, '#/paths/~1pets/get/responses'), '418', { description: 'Tea.' })
    })
    expect(faults).toEqual(['listPets 418: described and never seen'])
  })

  test('control: a header that is not described is detected', () => {
    const faults = faultsWith(document => {
      Reflect.deleteProperty(partAt(document, `${createPet201}/headers`), 'Location')
    })
    expect(faults).toEqual(['createPet 201: the header location is not described'])
  })

  test('control: a header that is described as required but sometimes absent is detected', () => {
    const faults = faultsWith(document => {
      Reflect.set(partAt(document, `${createPet201}/headers`), 'Sunset', { required: true, schema: {} })
    })
    expect(faults).toContain('createPet 201: the header Sunset is missing')
  })

  test('control: a required member whose name differs from the response is detected', () => {
    const faults = faultsWith(document => {
      Reflect.set(partAt(document, '#/components/schemas/Pet'), 'required', ['title', 'categoryId', 'id'])
      const properties = partAt(document, '#/components/schemas/Pet/properties')
      Reflect.set(properties, 'title', Reflect.get(properties, 'name'))
      Reflect.deleteProperty(properties, 'name')
    })
    expect(faults.join('\n')).toContain(`createPet 201: the body: / must have required property 'title'`)
    expect(faults.join('\n')).toContain('must NOT have additional properties {"additionalProperty":"name"}')
  })

  test('control: a member whose type differs from the response is detected', () => {
    const faults = faultsWith(document => {
      Reflect.set(partAt(document, '#/components/schemas/Order/properties/complete'), 'type', 'string')
    })
    expect(faults.join('\n')).toContain('placeOrder 201: the body: /complete must be string')
  })

  test('control: an operation that is described but not served is detected', () => {
    const faults = faultsWith(document => {
      const pet = partAt(document, '#/paths/~1pets~1{petId}/get')
      Reflect.set(partAt(document, '#/paths'), '/pets/{petId}/photo', {
        get: { ...pet, operationId: 'getPhoto' },
      })
    })
    expect(faults).toContain('getPhoto 200: described and never seen')
  })

  test('control: an operation that is served but not described is detected', () => {
    const faults = faultsWith(document => {
      Reflect.deleteProperty(partAt(document, '#/paths/~1categories'), 'post')
    })
    expect(faults).toEqual(['createCategory is served and not described'])
  })

  test('control: an error code that is not described, and a message that is never sent, are detected', () => {
    const faults = faultsWith(document => {
      Reflect.deleteProperty(partAt(document, '#/paths/~1pets/get/x-error-codes'), '406')
    })
    expect(faults).toContain('listPets 406: the body: the code not_acceptable is not described')
    const invented = described(document => {
      const examples = '#/components/responses/NotAcceptable/content/application~1json/examples'
      Reflect.set(partAt(document, `${examples}/not_acceptable/value`), 'message', 'No way.')
    })
    expect(inventedExamples(invented, observed)).toContain('listPets not_acceptable: No way.')
  })
})
