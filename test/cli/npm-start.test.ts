import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnvironment } from '../support/process.ts'
import { openReceiver } from '../support/receiver.ts'
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

/** Runs `npm run petstore` for the folder of the package, from another folder. */
async function npmFrom(folder: string, ...args: string[]): Promise<[exitCode: number, errors: string]> {
  const child = Bun.spawn(['npm', '--prefix', ROOT, 'run', '--silent', 'petstore', '--', ...args], {
    ...{ cwd: folder, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
    env: { ...childEnvironment({}), PETSTORE_DATA: './data-nowhere' },
  })
  return [await child.exited, await new Response(child.stderr).text()]
}

test(
  'a path that is typed after npm run is relative to the folder where it was typed, not to the package',
  async () => {
    const folder = realpathSync(mkdtempSync(join(directory, 'typed-')))
    writeFileSync(join(folder, 'c.csv'), 'name\nDogs\n')
    const loaded = await npmFrom(folder, 'import', '--categories', 'c.csv', '--data', 'store')
    expect(loaded).toEqual([0, expect.stringContaining(`into a new store in ${join(folder, 'store')}.`)])
    expect(existsSync(join(folder, 'store', 'petstore.db'))).toBe(true)
    const exported = await npmFrom(folder, 'export', 'pets', '--output', 'pets.csv', '--data', 'store')
    expect([exported[0], existsSync(join(folder, 'pets.csv'))]).toEqual([0, true])
    const copied = await npmFrom(folder, 'copy', '--from', 'store', '--to', '../copy')
    expect([copied[0], existsSync(join(directory, 'copy', 'petstore.db'))]).toEqual([0, true])
    expect((await npmFrom(folder, 'new-secret-key', 'my-key'))[0]).toBe(0)
    expect(existsSync(join(folder, 'my-key'))).toBe(true)
    for (const [args, says] of [
      [['import', '--pets', 'none.csv'], `${join(folder, 'none.csv')} does not exist.`],
      [['list-pets', '--key', '@none.key'], join(folder, 'none.key')],
      // A variable stays relative to the package.
      [['export', 'pets'], `There is no store in ${join(ROOT, 'data-nowhere')}`],
    ] as const) {
      expect(await npmFrom(folder, ...args)).toEqual([expect.any(Number), expect.stringContaining(says)])
    }
  },
  TIMEOUT_MS,
)

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

test('.ci/first-sale says that its port is in use, and sends nothing to the server that listens there', async () => {
  await using other = await openReceiver()
  const { port } = new URL(other.base)
  const script = Bun.spawn([join(ROOT, '.ci', 'first-sale')], {
    env: childEnvironment({ PETSTORE_PORT: port }),
    stderr: 'pipe',
  })
  const says = await new Response(script.stderr).text()
  expect([await script.exited, says]).toEqual([1, `port ${port} is in use: set PETSTORE_PORT\n`])
  expect(other.received).toEqual([])
})
