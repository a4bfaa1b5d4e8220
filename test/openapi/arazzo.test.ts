import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realNames } from '../support/demo-store.ts'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY, openTestStore } from '../support/store.ts'
import { runTool } from '../support/tool.ts'

const TIMEOUT_MS = 120_000

/** Runs the workflows of a file against a store. Returns the exit code of the runner and its summary. */
async function runWorkflows(file: string, base: string): Promise<{ exitCode: number; summary: string }> {
  const input = JSON.stringify({ key: ADMIN_KEY })
  const { exitCode, printed } = await runTool('redocly', [
    'respect',
    file,
    '--server',
    `petstore=${base}`,
    '--input',
    input,
  ])
  return { exitCode, summary: /Workflows: .*/.exec(printed)?.[0] ?? printed }
}

test(
  'the workflows of arazzo.yaml succeed on a running store',
  async () => {
    await using store = await openTestStore('sqlite', realNames)
    const { exitCode, summary } = await runWorkflows('arazzo.yaml', store.base)
    expect([exitCode, summary]).toEqual([0, 'Workflows: 4 passed, 4 total'])
    const { data } = await store.client.listOrders({ limit: 100 })
    expect(data.items.filter(({ complete }) => complete).length).toBeGreaterThanOrEqual(2)
  },
  TIMEOUT_MS,
)

test(
  'control: a workflow that expects the wrong status is detected',
  async () => {
    await using store = await openTestStore('sqlite')
    const directory = mkdtempSync(join(tmpdir(), 'petstore-arazzo-'))
    const wrong = readFileSync(join(ROOT, 'arazzo.yaml'), 'utf8')
      .replace('$statusCode == 409', '$statusCode == 201')
      .replace('url: openapi.yaml', `url: ${join(ROOT, 'openapi.yaml')}`)
    writeFileSync(join(directory, 'arazzo.yaml'), wrong)
    const { exitCode, summary } = await runWorkflows(join(directory, 'arazzo.yaml'), store.base)
    expect([exitCode, summary]).toEqual([1, 'Workflows: 3 passed, 1 failed, 4 total'])
    rmSync(directory, { recursive: true, force: true })
  },
  TIMEOUT_MS,
)
