import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../support/root.ts'
import { until } from '../support/until.ts'

const TIMEOUT_MS = 90_000
const START_MS_MAX = 45_000
const STOP_MS_MAX = 20_000

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'petstore-npm-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(
    `${signal} to npm start stops the store gracefully`,
    async () => {
      const data = join(directory, signal)
      const npm = Bun.spawn(['npm', 'start', '--', '--port', '0', '--no-demo', '--data', data], {
        cwd: ROOT,
        stdin: 'ignore',
        // The process group is separate, so that a store that outlives npm can be ended.
        detached: true,
        stdout: Bun.file(`${data}.log`),
        stderr: Bun.file(`${data}.err`),
      })
      try {
        let base = ''
        await until(
          'the store listens',
          async () => {
            base = /serves (http:\S+)/.exec(await Bun.file(`${data}.err`).text())?.[1] ?? ''
            return base !== '' || npm.exitCode !== null
          },
          START_MS_MAX,
        )
        expect((await fetch(`${base}/livez`)).status).toBe(200)
        npm.kill(signal)
        await until('nothing listens', () => isGone(base), STOP_MS_MAX)
        await until('npm has ended', () => npm.exitCode !== null || npm.signalCode !== null, STOP_MS_MAX)
        expect(await Bun.file(`${data}.log`).text()).toContain('"msg":"stopped"')
      } finally {
        endGroup(npm.pid)
      }
    },
    TIMEOUT_MS,
  )
}

async function isGone(base: string): Promise<boolean> {
  return fetch(`${base}/livez`).then(
    () => false,
    () => true,
  )
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Every process of the group has ended.
  }
}
