import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { openReceiver, reply } from '../support/receiver.ts'
import { ROOT } from '../support/root.ts'
import { openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

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

/** Returns the metrics of an expression, each with the labels that its selector uses. */
function selectorsOf(expression: string): { name: string; labels: string[] }[] {
  const found = expression.matchAll(/\b((?:petstore|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)
  return [...found].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }))
}

/** Returns the labels of each metric that a store exposes. */
async function exposedBy(store: TestStore): Promise<Map<string, Set<string>>> {
  const text = await (await store.send('GET', '/metrics')).text()
  const exposed = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{([^}]*)\})? /gm)) {
    const known = exposed.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    exposed.set(name, known)
  }
  return exposed
}

/** Returns the metrics and labels that an expression uses and that a store does not expose. */
function unknownIn(expression: string, exposed: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const selectors = selectorsOf(expression).filter(({ name }) => name !== 'up')
  return selectors.flatMap(({ name, labels }) => {
    const known = exposed.get(name)
    if (!known) return [name]
    return labels
      .filter(label => !known.has(label) && !ADDED_LABELS.includes(label))
      .map(label => `${name}.${label}`)
  })
}

/** Uses a store until it exposes every metric of the alert rules and of the dashboard. */
async function fillMetrics(store: TestStore): Promise<void> {
  await using receiver = await openReceiver(() => reply(204))
  await store.client.createWebhook({ body: { url: receiver.base } })
  const { data: category } = await store.client.createCategory({ body: { name: 'Any' } })
  const { data: pet } = await store.client.createPet({ body: { name: 'Rex', categoryId: category.id } })
  await store.send('GET', `/pets/${pet.id}`)
  await store.send('GET', `/pets?id=${pet.id}`)
  await until('a webhook was called', () => receiver.received.length > 0)
  await until('the attempt is counted', async () =>
    (await (await store.send('GET', '/metrics')).text()).includes('petstore_webhook_attempts_total{'),
  )
}

test('every metric and label of the alert rules and of the dashboard is exposed by a store', async () => {
  await using store = await openTestStore('sqlite')
  await fillMetrics(store)
  const exposed = await exposedBy(store)
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
    'petstore_requests_total.method',
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
