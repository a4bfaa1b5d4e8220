import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { freePort } from '../support/free-port.ts'
import { openPostgresProxy } from '../support/postgres-proxy.ts'
import { newMigratedDatabase, startPostgres, stopPostgres } from '../support/postgres-server.ts'
import { run } from '../support/process.ts'
import { deadPort, openReceiver } from '../support/receiver.ts'
import { ROOT } from '../support/root.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { makePet } from '../support/shop.ts'
import { openTestStore, type TestStore } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'

/** How long a store without a fault is watched at least, in milliseconds. */
const QUIET_MS = Number(process.argv[2] ?? 60) * 1000
const WAIT_MS_MAX = 60_000

const Answer = z.object({
  data: z.object({ result: z.array(z.object({ metric: z.record(z.string(), z.string()) })) }),
})

/** A store, how it gets a fault, and the alerts that must fire then. */
interface Case extends AsyncDisposable {
  readonly base: string
  readonly alerts: readonly string[]
  readonly fault: () => Promise<unknown>
}

/** The rules as they are shipped, with shorter times: a scrape every two seconds. */
function rulesForTest(): string {
  return readFileSync(join(ROOT, 'deploy/monitoring/alerts.yml'), 'utf8')
    .replaceAll(/for: \d+[mh]/g, 'for: 2s')
    .replaceAll(/\[\d+[mhd]\]/g, '[20s]')
}

function ofStore(
  store: AsyncDisposable & { readonly base: string },
  alerts: string,
  fault: Case['fault'],
  ...others: AsyncDisposable[]
): Case {
  return {
    ...{ base: store.base, alerts: alerts.split(' '), fault },
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      for (const other of others) await other[Symbol.asyncDispose]()
    },
  }
}

/** Returns a store of a process of its own that has a backup. */
async function ofProcess(
  alert: string,
  fault: (server: {
    base: string
    verify: () => Promise<unknown>
    kill: () => Promise<unknown>
    change: (sql: string) => Promise<unknown>
  }) => Promise<unknown>,
  hasBackup = true,
): Promise<Case> {
  const place = await newStoreDirectory('sqlite')
  const server = await place.start()
  const at = ['--data', place.directory]
  await makePet(place.client(server))
  if (hasBackup) await run(['backup', '--to', join(place.directory, 'backup'), ...at], place.env)
  return {
    base: server.base,
    alerts: [alert],
    fault: () =>
      fault({
        base: server.base,
        verify: () => run(['audit', 'verify', ...at], place.env),
        kill: () => server.kill('SIGKILL'),
        change: sql => place.database(sql),
      }),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

async function openCases(): Promise<Case[]> {
  await startPostgres()
  const databases = [await newMigratedDatabase(), await newMigratedDatabase()]
  const proxy = await openPostgresProxy(databases[0] ?? '')
  const cut = await openTestStore('postgres', {
    databaseUrl: databases[0] ?? '',
    routeOf: url => proxy.urlOf(url),
  })
  const migrated = await openTestStore('postgres', { databaseUrl: databases[1] ?? '' })
  const full = await openTestStore('sqlite', { pagesMax: 100 })
  const oneAttempt = { retryDelaysMs: [], giveUpAfterMs: 0 }
  const losing = await openTestStore('sqlite', { delivery: oneAttempt })
  const untrusted = await openTestStore('sqlite')
  const receiver = await openReceiver(undefined, { tls: true })
  let aheadMs = 3_600_000
  const behind = await openTestStore('sqlite', { clock: () => Date.now() + aheadMs })
  await behind.client.createCategory({ body: { name: 'Of the future' } })
  aheadMs = 0
  const toReceiver = async (store: TestStore, url: string): Promise<void> => {
    const { data } = await store.client.createWebhook({ body: { url } })
    await store.client.sendTestEvent({ webhookId: data.id })
  }
  const fill = async (): Promise<void> => {
    for (let index = 0; index < 400; index++)
      await full.send('POST', '/categories', {
        body: JSON.stringify({ name: `${index} ${'x'.repeat(150)}` }),
      })
  }
  return [
    await ofProcess('PetstoreDown', server => server.kill()),
    await ofProcess('PetstoreBackupOverdue', async () => {}, false),
    await ofProcess('PetstoreAuditLogDamaged', async server => {
      await server.change(`UPDATE event SET data = '{}' WHERE position = 1`)
      await server.verify()
    }),
    ofStore(cut, 'PetstoreNotReady', async () => proxy.freeze(), proxy),
    ofStore(migrated, 'PetstoreNotReady', () =>
      migrated.database('INSERT INTO migration SELECT max(version) + 1 FROM migration'),
    ),
    ofStore(full, 'PetstoreDiskFull PetstoreServerErrors', fill),
    ofStore(losing, 'PetstoreWebhookDeliveryLost', async () =>
      toReceiver(losing, `http://127.0.0.1:${await deadPort()}`),
    ),
    ofStore(untrusted, 'PetstoreWebhooksFailing', () => toReceiver(untrusted, receiver.base), receiver),
    ofStore(behind, 'PetstoreClockApart', async () => {}),
    ...(await casesOfClients()),
  ]
}

/** Sends requests at once, without a key, and reads the responses. */
async function send({ base }: { readonly base: string }, count: number, path: string): Promise<void> {
  await Promise.all(Array.from({ length: count }, async () => (await fetch(`${base}${path}`)).text()))
}

async function casesOfClients(): Promise<Case[]> {
  const open = await openTestStore('sqlite')
  const limited = await openTestStore('sqlite', { rateLimit: { requests: 100, seconds: 60 } })
  const old = await openTestStore('sqlite')
  const { petId } = await makePet(old.client)
  const host = await openSandboxHost({ limits: { sandboxes: 1 } })
  return [
    ofStore(open, 'PetstoreUnauthorized', () => send(open, 60, '/store/orders')),
    ofStore(limited, 'PetstoreRateLimited', () => send(limited, 200, '/categories')),
    ofStore(old, 'PetstoreDeprecatedRequests', () => send(old, 3, `/pets/${petId}`)),
    ofStore(host, 'PetstoreSandboxesFull', () => host.create()),
  ]
}

/** Runs Prometheus with the rules, and returns a function that reads which alerts fire, as `alert instance`. */
async function startPrometheus(bases: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-prometheus-'))
  const port = freePort()
  const targets = bases.map(base => `'${new URL(base).host}'`).join(', ')
  writeFileSync(join(directory, 'alerts.yml'), rulesForTest())
  writeFileSync(
    join(directory, 'prometheus.yml'),
    `global: { scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs: [{ job_name: petstore, static_configs: [{ targets: [${targets}] }] }]
`,
  )
  const at = [`--config.file=${directory}/prometheus.yml`, `--storage.tsdb.path=${directory}/data`]
  const child = Bun.spawn(
    ['prometheus', ...at, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  const query = async (expression: string): Promise<string[]> => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`
    const { data } = Answer.parse(await (await fetch(url)).json())
    return data.result.map(({ metric }) => `${metric.alertname} ${metric.instance}`)
  }
  await until(
    'Prometheus serves',
    () =>
      query('up').then(
        found => found.length === bases.length,
        () => false,
      ),
    30_000,
  )
  return {
    hasFired: () => query(`max_over_time(ALERTS{alertstate="firing"}[1h])`),
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/**
 * Shows with a real Prometheus that a fault fires its alert, and that a store without a fault fires none. Returns the
 * number of alerts that did otherwise.
 */
export async function checkAlerts(): Promise<number> {
  if (Bun.which('prometheus') === null) {
    process.stdout.write('alerts: SKIPPED: prometheus is not installed\n')
    return 0
  }
  const startedMs = performance.now()
  const quiet = await ofProcess('', async () => {})
  const cases = await openCases()
  const bases = [quiet, ...cases].map(({ base }) => base)
  let failed = 0
  {
    await using prometheus = await startPrometheus(bases)
    // The counters are seen before their first increase.
    await Bun.sleep(6000)
    for (const { base, alerts, fault } of cases) {
      await fault()
      for (const alert of alerts) {
        const expected = `${alert} ${new URL(base).host}`
        const isFired = await until(
          expected,
          async () => (await prometheus.hasFired()).includes(expected),
          WAIT_MS_MAX,
        ).then(
          () => true,
          () => false,
        )
        if (!isFired) failed++
        process.stdout.write(`alerts: ${isFired ? '' : 'FAILED: '}${alert} fires\n`)
      }
    }
    await Bun.sleep(Math.max(0, QUIET_MS - (performance.now() - startedMs)))
    const host = new URL(quiet.base).host
    const wrong = (await prometheus.hasFired()).filter(fired => fired.endsWith(` ${host}`))
    failed += wrong.length
    process.stdout.write(
      `alerts: ${wrong.length === 0 ? '' : 'FAILED: '}none fires without a fault ${wrong}\n`,
    )
  }
  const driven = new Set(cases.flatMap(({ alerts }) => alerts))
  const others = [...rulesForTest().matchAll(/alert: (\w+)/g)].flatMap(([, alert = '']) =>
    driven.has(alert) ? [] : [alert],
  )
  process.stdout.write(`alerts: not driven here: ${others.join(', ')}\n`)
  for (const store of [quiet, ...cases]) await store[Symbol.asyncDispose]()
  await stopPostgres()
  return failed
}

if (import.meta.main) process.exit((await checkAlerts()) === 0 ? 0 : 1)
