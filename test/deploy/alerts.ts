import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { freePort } from '../support/free-port.ts'
import { startPostgres, stopPostgres } from '../support/postgres-server.ts'
import { ROOT } from '../support/root.ts'
import { until } from '../support/until.ts'
import { ofProcess, openCases, SMALL_DISK_ALERTS } from './alert-cases.ts'

/** How long a store without a fault is watched at least, in milliseconds. */
const QUIET_MS = Number(process.argv[2] ?? 60) * 1000
const WAIT_MS_MAX = 60_000

const Answer = z.object({
  data: z.object({ result: z.array(z.object({ metric: z.record(z.string(), z.string()) })) }),
})

/** The rules as they are shipped, with shorter times: a scrape every two seconds. */
function rulesForTest(): string {
  return readFileSync(join(ROOT, 'deploy/monitoring/alerts.yml'), 'utf8')
    .replaceAll(/for: \d+[mh]/g, 'for: 2s')
    .replaceAll(/\[\d+[mhd]\]/g, '[20s]')
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
  await startPostgres()
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
  for (const [, alert = ''] of rulesForTest().matchAll(/alert: (\w+)/g)) {
    if (driven.has(alert)) continue
    const isSkipped = SMALL_DISK_ALERTS.includes(alert)
    if (!isSkipped) failed++
    process.stdout.write(
      `alerts: ${isSkipped ? 'SKIPPED: no small disk can be mounted' : 'FAILED: no case'}: ${alert}\n`,
    )
  }
  for (const store of [quiet, ...cases]) await store[Symbol.asyncDispose]()
  await stopPostgres()
  return failed
}

if (import.meta.main) process.exit((await checkAlerts()) === 0 ? 0 : 1)
