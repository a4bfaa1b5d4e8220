import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { errorTable } from '../../src/contract/error.ts'
import { type MetricName, metricList } from '../../src/http/observe/metric-list.ts'
import { contract } from '../../src/shop/registry/operations.ts'
import { testedEngines } from '../support/engines.ts'
import { metricsOf, metricsText } from '../support/metrics.ts'
import { ROOT } from '../support/root.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { openTestStore } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.object({ summary: z.string().min(20), description: z.string().min(20) }),
        }),
      ),
    }),
  ),
})

const Dashboard = z.object({
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z.array(z.object({ expr: z.string() })).min(1),
    }),
  ),
})

const rules = Rules.parse(parse(readFileSync(join(ROOT, 'deploy/monitoring/alerts.yml'), 'utf8')))
const dashboard = Dashboard.parse(
  JSON.parse(readFileSync(join(ROOT, 'deploy/monitoring/dashboard.json'), 'utf8')),
)

/** Labels that Prometheus adds to every metric. */
const ADDED_LABELS = ['job', 'instance']

interface Selector {
  readonly name: string
  /** The values that a matcher allows, by label; a label without any if the values are not known here. */
  readonly labels: Readonly<Record<string, readonly string[]>>
}

/** Returns the metrics of an expression, each with the labels that its selector uses. */
function selectorsOf(expression: string): Selector[] {
  const found = expression.matchAll(/\b((?:petstore|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)
  return [...found].map(([, name = '', selector = '']) => ({
    name: name.replace(/_bucket$/, ''),
    labels: Object.fromEntries(
      [...selector.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', , text = '']) => [
        label,
        /^[\w|]*$/.test(text) ? text.split('|') : [],
      ]),
    ),
  }))
}

/** Returns the samples of stores on both engines and of a host of sandboxes at their start: names and labels. */
async function exposedAtStart(): Promise<readonly string[]> {
  const texts: string[] = []
  for (const engine of testedEngines) {
    await using place = await newStoreDirectory(engine)
    // A store on PostgreSQL makes no backups itself.
    const nightly = engine === 'sqlite' && { PETSTORE_BACKUPS: `${place.directory}-backups` }
    await using store = await place.startWith({ ...place.env, ...nightly })
    texts.push(await metricsText(store))
  }
  await using host = await openSandboxHost()
  texts.push(await metricsText(host))
  return texts.flatMap(text => text.match(/^petstore_\S+|^(?:process|nodejs)_\S+/gm) ?? [])
}

/** Returns what an expression selects although the list of metrics or a new store does not have it. */
function unknownIn(expression: string, exposed: readonly string[]): string[] {
  const selectors = selectorsOf(expression).filter(({ name }) => name !== 'up')
  return selectors.flatMap(({ name, labels }) => {
    if (!(name in metricList)) return [name]
    // It has samples only after a request.
    if (metricList[name as MetricName].type === 'histogram') return []
    const samples = exposed.filter(sample => sample === name || sample.startsWith(`${name}{`))
    return Object.entries(labels)
      .filter(([label]) => !ADDED_LABELS.includes(label))
      .flatMap(([label, values]) =>
        (values.length === 0 ? [''] : values)
          .filter(
            value => !samples.some(sample => sample.includes(value ? `${label}="${value}"` : `${label}="`)),
          )
          .map(value => `${name}.${label}=${value}`),
      )
  })
}

test('stores on both engines and a host expose the whole list of metrics at their start', async () => {
  const exposed = new Set((await exposedAtStart()).map(sample => sample.replace(/\{.*/, '')))
  const listed = Object.entries(metricList).filter(([, { type }]) => type !== 'histogram')
  const isOfPostgres = (name: string): boolean => /_database_(?!bytes)/.test(name)
  const expected = listed
    .map(([name]) => name)
    .filter(name => testedEngines.includes('postgres') || !isOfPostgres(name))
  expect([...exposed].sort()).toEqual(expected.sort())
})

test('every counter starts at 0 for each error, each state and the success of each operation', async () => {
  await using store = await openTestStore('sqlite')
  const counters = await metricsOf(store, 'petstore_errors_total', 'petstore_webhook_attempts_total')
  expect(Object.values(counters)).toEqual(Object.values(counters).map(() => 0))
  expect(Object.keys(counters)).toHaveLength(Object.keys(errorTable).length + 3)
  const requests = await metricsOf(store, 'petstore_requests_total')
  for (const [id, { success }] of Object.entries(contract))
    expect(requests).toHaveProperty([
      `petstore_requests_total{operation_id="${id}",status="${success.status}"}`,
    ])
})

test('a new store has every metric, label and value that the alert rules and the dashboard select', async () => {
  const exposed = await exposedAtStart()
  const expressions = [
    ...rules.groups.flatMap(group => group.rules.map(({ expr }) => expr)),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ]
  expect(expressions.length).toBeGreaterThan(25)
  for (const expression of expressions) {
    expect([expression, selectorsOf(expression).length > 0]).toEqual([expression, true])
    expect([expression, unknownIn(expression, exposed)]).toEqual([expression, []])
  }
  expect(unknownIn('rate(petstore_sales_total[5m])', exposed)).toEqual(['petstore_sales_total'])
  expect(unknownIn('petstore_requests_total{method="GET"}', exposed)).toEqual([
    'petstore_requests_total.method=GET',
  ])
  expect(unknownIn('petstore_errors_total{code=~"disk_full|overloaded"}', exposed)).toEqual([
    'petstore_errors_total.code=disk_full',
  ])
})

test('the panels of the dashboard have unique ids and do not overlap, and the alerts have unique names', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(dashboard.panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  const alerts = rules.groups.flatMap(group => group.rules.map(({ alert }) => alert))
  expect(new Set(alerts).size).toBe(alerts.length)
})
