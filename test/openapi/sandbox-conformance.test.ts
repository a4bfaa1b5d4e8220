import { beforeAll, expect, test } from 'bun:test'
import { ADMIN_KEY, openTestStore } from '../support/store.ts'
import { checkConformance, type Observed } from './conformance-check.ts'
import { driveSandbox } from './conformance-drive.ts'
import { readDocument } from './document.ts'
import { fuzz } from './fuzz/run.ts'

const DRIVE_MS_MAX = 300_000
const FUZZ_REQUESTS = 4_000

let observed: readonly Observed[] = []
let text = ''

beforeAll(async () => {
  await using store = await openTestStore('sqlite', { asSandbox: true })
  text = await (await fetch(`${store.base}/openapi.json`)).text()
  observed = await driveSandbox()
}, DRIVE_MS_MAX)

/** Only a failing engine, or a server that stops, returns these statuses. */
const needsFailingEngine = /^\w+ (500|503)\b/

test('a sandbox returns exactly the responses that its description has, except those of a failing engine', () => {
  const described = readDocument(JSON.parse(text))
  const faults = checkConformance(described, observed)
  expect(faults.filter(fault => !needsFailingEngine.test(fault))).toEqual([])
  const statuses = new Set(observed.map(({ operationId, status }) => `${operationId} ${status}`))
  expect(statuses.size).toBeGreaterThanOrEqual(370)
})

test('control: a status that a sandbox does not describe is detected', () => {
  const document = JSON.parse(text)
  delete document.paths['/pets'].get.responses['304']
  const faults = checkConformance(readDocument(document), observed)
  expect(faults).toContain('listPets 304: the status is not described')
})

test(
  'the fuzzer has no finding at the base address of a sandbox',
  async () => {
    await using store = await openTestStore('sqlite', { asSandbox: true })
    const findings = await fuzz({
      url: store.base,
      key: ADMIN_KEY,
      requests: FUZZ_REQUESTS,
      seed: 20_261_122,
    })
    expect([...findings]).toEqual([])
    expect(store.logged.filter(({ level }) => level === 'error')).toEqual([])
  },
  DRIVE_MS_MAX,
)
