import { expect, test } from 'bun:test'
import { processMetrics } from '../../src/http/observe/process-metrics.ts'
import { openTestStore } from '../support/store.ts'

interface Family {
  readonly name: string
  readonly type: string
  readonly values: readonly number[]
}

/** Returns the metrics in a text, each with its type and the values of its samples. */
function familiesOf(text: string): Family[] {
  return text
    .split(/^(?=# HELP )/m)
    .map(block => ({
      name: /^# TYPE (\S+) (\S+)$/m.exec(block)?.[1] ?? '',
      type: /^# TYPE (\S+) (\S+)$/m.exec(block)?.[2] ?? '',
      values: [...block.matchAll(/^[^#\n]\S*(?:\{.*\})? (\S+)$/gm)].map(match => Number(match[1])),
    }))
    .filter(({ name }) => name !== '')
}

/** Returns the faults in the text of the metrics. */
function faultsOf(text: string): string[] {
  const families = familiesOf(text)
  const [rss = 0] = families.find(({ name }) => name === 'process_resident_memory_bytes')?.values ?? []
  const { user, system } = process.cpuUsage()
  const cpuSeconds = (user + system) / 1_000_000
  return families.flatMap(({ name, type, values }) => [
    ...(name.endsWith('_total') === (type === 'counter') ? [] : [`${name} is a ${type}`]),
    ...(type === 'histogram' && !/_(seconds|bytes)$/.test(name) ? [`${name} has no unit`] : []),
    ...(values.every(value => Number.isFinite(value) && value >= 0) ? [] : [`${name} is ${values}`]),
    ...(/heap|external/.test(name) && values.some(value => value > 2 * rss) ? [`${name} is ${values}`] : []),
    ...(/cpu/.test(name) && values.some(value => value > cpuSeconds + 1) ? [`${name} is ${values}`] : []),
    ...(/lag/.test(name) && values.some(value => value > 60) ? [`${name} is ${values}`] : []),
  ])
}

test('every metric has the type that its name implies, and a plausible value', async () => {
  await using store = await openTestStore('sqlite')
  await store.client.listPets({})
  const text = await (await fetch(`${store.base}/metrics`)).text()
  expect(faultsOf(text)).toEqual([])
  const names = familiesOf(text).map(({ name }) => name)
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'petstore_requests_total',
  ])
    expect(names).toContain(name)
})

test('control: metrics with a wrong type, value or unit are detected', () => {
  const wrong = [
    '# HELP a_total Any.\n# TYPE a_total gauge\na_total 1',
    '# HELP process_resident_memory_bytes Any.\n# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes 10',
    '# HELP process_heap_bytes Any.\n# TYPE process_heap_bytes gauge\nprocess_heap_bytes 6469464064',
    '# HELP lag_seconds Any.\n# TYPE lag_seconds gauge\nlag_seconds Nan',
    '# HELP took Any.\n# TYPE took histogram\ntook_count 1',
  ].join('\n')
  expect(faultsOf(wrong)).toHaveLength(4)
})

test('the metrics require an admin key for a request through a proxy on the same machine', async () => {
  await using store = await openTestStore('sqlite')
  expect((await fetch(`${store.base}/metrics`)).status).toBe(200)
  for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via']) {
    const reply = await fetch(`${store.base}/metrics`, { headers: { [name]: '127.0.0.1' } })
    expect([name, reply.status]).toEqual([name, 401])
  }
  // A page whose name leads to this machine.
  expect((await fetch(`${store.base}/metrics`, { headers: { Host: 'rebound.example' } })).status).toBe(401)
})

test('the metrics require an admin key for a request from another machine', async () => {
  await using store = await openTestStore('sqlite', { trustedProxies: ['127.0.0.1'] })
  const from = { 'X-Forwarded-For': '203.0.113.9' }
  expect((await fetch(`${store.base}/metrics`, { headers: from })).status).toBe(401)
  const clerk = await store.client.createKey({ body: { name: 'c', scopes: ['pets:write'] } })
  const key = { Authorization: `Bearer ${clerk.data.key}` }
  expect((await fetch(`${store.base}/metrics`, { headers: { ...from, ...key } })).status).toBe(403)
  expect((await store.send('GET', '/metrics', { headers: from })).status).toBe(200)
})

test('a stall of the event loop is in the metrics of each program that reads them after it', async () => {
  processMetrics()
  await Bun.sleep(250)
  Bun.sleepSync(500)
  await Bun.sleep(250)
  for (let reader = 0; reader < 2; reader++)
    expect(Number(processMetrics().nodejs_eventloop_lag_max_seconds)).toBeGreaterThan(0.3)
})
