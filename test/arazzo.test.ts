import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ADMIN_KEY, onEveryEngine, openTestStore } from './store.ts'

const ROOT = join(import.meta.dir, '..')
const TIMEOUT_MS = 60_000

/** Runs the workflows of a file against a store; answers how the runner ended and what it said last. */
async function respect(file: string, base: string): Promise<{ exitCode: number; summary: string }> {
  const command = [
    join(ROOT, 'node_modules/.bin/redocly'),
    'respect',
    file,
    '--server',
    `petstore=${base}`,
    '--input',
    JSON.stringify({ key: ADMIN_KEY }),
  ]
  const child = Bun.spawn(command, {
    cwd: ROOT,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: TIMEOUT_MS,
  })
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const summary = /Workflows: .*/.exec(output + errors)?.[0] ?? output + errors
  return { exitCode: await child.exited, summary }
}

onEveryEngine(engine => {
  test(
    'the workflows of arazzo.yaml run through on a live store',
    async () => {
      await using store = await openTestStore(engine)
      const { exitCode, summary } = await respect('arazzo.yaml', store.base)
      expect([exitCode, summary]).toEqual([0, 'Workflows: 4 passed, 4 total'])
      const { data } = await store.client.listOrders({ limit: 100 })
      expect(data.items.filter(({ complete }) => complete).length).toBeGreaterThanOrEqual(2)
    },
    TIMEOUT_MS,
  )
})

test(
  'control: a workflow that expects another status is caught',
  async () => {
    await using store = await openTestStore('sqlite')
    const directory = mkdtempSync(join(tmpdir(), 'petstore-arazzo-'))
    const wrong = readFileSync(join(ROOT, 'arazzo.yaml'), 'utf8')
      .replace('$statusCode == 409', '$statusCode == 201')
      .replace('url: openapi.yaml', `url: ${join(ROOT, 'openapi.yaml')}`)
    writeFileSync(join(directory, 'arazzo.yaml'), wrong)
    const { exitCode, summary } = await respect(join(directory, 'arazzo.yaml'), store.base)
    expect([exitCode, summary]).toEqual([1, 'Workflows: 3 passed, 1 failed, 4 total'])
    rmSync(directory, { recursive: true, force: true })
  },
  TIMEOUT_MS,
)
