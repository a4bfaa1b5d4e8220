import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { describe as describeApi } from '../../src/openapi/document.ts'
import { writeYaml } from '../../src/openapi/yaml.ts'
import { DESCRIBED_BASE, hostApi } from '../../src/sandboxes/host-api/description.ts'
import { hostOperations } from '../../src/sandboxes/host-api/operations.ts'
import { run } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { checkConformance, inventedExamples, type Observed } from './conformance-check.ts'
import { type Described, partAt, readDocument } from './document.ts'
import { validatorOf } from './document-schemas.ts'
import { driveHost } from './sandbox-drive.ts'

const DRIVE_MS_MAX = 120_000
/** The beginning of the stream of requests of a sandbox, with its first event. */
const REQUEST_STREAM = /^retry: \d+\n\nid: \d+\nevent: request\ndata: \{.*\}\n\n/

const committed = readFileSync(join(ROOT, 'openapi-sandboxes.yaml'), 'utf8')

describe('the description of a host of sandboxes', () => {
  test('openapi-sandboxes.yaml is generated from the contract (if it is not: npm run openapi)', () => {
    const isCurrent = committed === writeYaml(describeApi(hostApi, { base: DESCRIBED_BASE }))
    expect(isCurrent ? 'the same' : 'openapi-sandboxes.yaml is out of date: npm run openapi').toBe('the same')
  })

  test('petstore openapi --sandboxes prints the description, as YAML or JSON, for any address', async () => {
    expect((await run(['openapi', '--sandboxes'])).output).toBe(committed)
    const options = ['--sandboxes', '--json', '--base-url', 'https://pets.example/lab/']
    const json = (await run(['openapi', ...options])).output
    expect(JSON.parse(json)).toEqual(describeApi(hostApi, { base: 'https://pets.example/lab' }))
  })

  test('a host serves the description as JSON and as YAML, with its own address', async () => {
    await using host = await openSandboxHost()
    const json = await fetch(`${host.base}/openapi-sandboxes.json`)
    const yaml = await fetch(`${host.base}/openapi-sandboxes.yaml`)
    expect([json.headers.get('content-type'), yaml.headers.get('content-type')]).toEqual([
      'application/json',
      'application/yaml',
    ])
    const text = await yaml.text()
    expect(await json.json()).toEqual(parse(text))
    expect(text.replaceAll(host.base, DESCRIBED_BASE)).toBe(
      committed.replaceAll('http://127.0.0.1:8081/s/', `${DESCRIBED_BASE}/s/`),
    )
  })

  test('each operation that writes, or opens the store of a sandbox, describes a full disk', () => {
    const { operations } = readDocument(describeApi(hostApi, { base: DESCRIBED_BASE }))
    const without = [...operations.values()].filter(
      ({ 'x-error-codes': codes }) => !codes['503']?.includes('storage_full'),
    )
    expect(without.map(({ operationId }) => operationId).sort()).toEqual([
      'getClass',
      'getClock',
      'getProgress',
      'getSandbox',
      'getSnapshot',
      'listClasses',
      'listPlantableFaults',
      'listSnapshots',
      'readInvitation',
    ])
  })

  test('every example of a JSON body is valid under its schema', () => {
    const { document, operations } = readDocument(parse(committed))
    const validate = validatorOf(document)
    const faults = [...operations.values()].flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap(part =>
        Object.entries(part?.content ?? {}).flatMap(([type, { schema, example, examples = {} }]) => {
          const values = [example, ...Object.values(examples).map(({ value }) => value)]
          const isChecked = type === 'application/json'
          return values
            .filter(value => isChecked && value !== undefined)
            .flatMap(value => validate(schema, value))
            .map(why => `${operationId}: ${why}`)
        }),
      ),
    )
    expect(faults).toEqual([])
  })
})

describe('the responses of a host and its description', () => {
  let observed: readonly Observed[] = []

  beforeAll(async () => {
    observed = await driveHost()
  }, DRIVE_MS_MAX)

  function faultsWith(plant: (document: unknown) => void = () => {}): string[] {
    const document: unknown = parse(committed)
    plant(document)
    const described: Described = readDocument(document)
    return checkConformance(described, observed, validatorOf(described.document, REQUEST_STREAM))
  }

  test('every response of every operation is described, and every described response was returned', () => {
    expect(faultsWith()).toEqual([])
    const { operations } = readDocument(parse(committed))
    expect([...operations.keys()].toSorted()).toEqual(Object.keys(hostOperations).toSorted())
  })

  test('each event of the request stream contains a logged request', () => {
    const { document } = readDocument(parse(committed))
    const validate = validatorOf(document)
    const streamed = observed.filter(
      ({ operationId, status }) => operationId === 'streamRequests' && status === 200,
    )
    const data = streamed.map(({ body }) => /data: (.*)/.exec(String(JSON.parse(body)))?.[1] ?? '')
    expect(data).toHaveLength(1)
    const faults = data.flatMap(text =>
      validate({ $ref: '#/components/schemas/LoggedRequest' }, JSON.parse(text)),
    )
    expect(faults).toEqual([])
  })

  test('the examples of refusals have the messages that the host sends', () => {
    expect(inventedExamples(readDocument(parse(committed)), observed)).toEqual([])
  })

  test('control: an undescribed status, an undescribed header and a text that is too long are detected', () => {
    const faults = faultsWith(document => {
      Reflect.deleteProperty(partAt(document, '#/paths/~1sandboxes/post/responses'), '422')
      Reflect.deleteProperty(partAt(document, '#/paths/~1sandboxes/post/responses/201/headers'), 'Location')
      Reflect.set(partAt(document, '#/components/schemas/Snapshot/properties/name'), 'maxLength', 3)
    })
    expect(faults).toContain('createSandbox 422: the status is not described')
    expect(faults).toContain('createSandbox 201: the header location is not described')
    expect(faults.join('\n')).toContain(
      'getSnapshot 200: the body: /name must NOT have more than 3 characters',
    )
  })
})
