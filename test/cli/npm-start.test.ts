import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment, runToEnd } from '../support/process.ts'
import { deadPort, openReceiver } from '../support/receiver.ts'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const START_MS_MAX = 45_000
const STOP_MS_MAX = 20_000
/** The time in which the memory of a start is released. */
const SETTLE_MS = 3000

const directory = testFolder()

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} to npm start stops the store gracefully`, async () => {
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
      const log = await Bun.file(`${data}.log`).text()
      expect(log).toContain('"msg":"stopped"')
      expect(log.split('\n').filter(line => line !== '' && !line.startsWith('{'))).toEqual([
        expect.stringMatching(/^> petstore@\S+ start$/),
        `> exec sh src/start.sh serve --port 0 --no-demo --data ${data}`,
      ])
    } finally {
      endGroup(npm.pid)
    }
  })
}

const HEAP = ['forceRAMSize', 'mediumHeapGrowthFactor', 'largeHeapGrowthFactor'].map(
  name => `BUN_JSC_${name}`,
)

/** Runs a start script with a runtime that prints its process id, variables and arguments, and exits with 7. */
async function runStartScript(script: string, env: Record<string, string>) {
  const folder = mkdtempSync(join(directory, 'runtime-'))
  const runtime = join(folder, 'bun')
  const values = HEAP.map(name => `$${name}`).join(' ')
  writeFileSync(runtime, `#!/bin/sh\necho $$\necho "${values}"\nprintf '%s\\n' "$@"\nexit 7\n`)
  chmodSync(runtime, 0o755)
  const inherited = childEnvironment(env)
  const child = Bun.spawn(['sh', script, 'serve', '--data', 'a b'], {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...inherited, PATH: `${folder}:${inherited.PATH}` },
  })
  const [output, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited])
  const [pid, heap, ...args] = output.trim().split('\n')
  return { isSameProcess: Number(pid) === child.pid, heap, args, exitCode }
}

const STARTED = {
  isSameProcess: true,
  heap: '167772160 1.65 1.65',
  args: ['--no-env-file', '--config=/dev/null', join(ROOT, 'src/main.ts'), 'serve', '--data', 'a b'],
  exitCode: 7,
}

test('the start script becomes the store, with the heap settings, from any folder', async () => {
  expect(await runStartScript(join(ROOT, 'src/start.sh'), {})).toEqual(STARTED)
})

test('the start script keeps a heap setting of the user', async () => {
  const { heap } = await runStartScript(join(ROOT, 'src/start.sh'), { BUN_JSC_largeHeapGrowthFactor: '2' })
  expect(heap).toBe('167772160 1.65 2')
})

test('control: a start script without exec stays beside the store, and hides its exit code', async () => {
  const text = await Bun.file(join(ROOT, 'src/start.sh')).text()
  const script = join(directory, 'start.sh')
  writeFileSync(script, `${text.replace('exec bun', 'bun')}true\n`)
  expect(await runStartScript(script, {})).toMatchObject({ isSameProcess: false, exitCode: 0 })
})

/** More than a second start takes (31 MiB), and less than it took when the workers loaded schemas (39 MiB). */
const ANONYMOUS_KIB_MAX = 36 * 1024

test.skipIf(process.platform !== 'linux')('a second start of the demo shop takes little memory', async () => {
  const data = join(directory, 'rest')
  const start = async (work: (pid: number) => Promise<void>): Promise<void> => {
    const child = Bun.spawn(['sh', join(ROOT, 'src/start.sh'), 'serve', '--port', '0', '--data', data], {
      env: childEnvironment({}),
      stdin: 'ignore',
      stdout: Bun.file(`${data}.log`),
      stderr: 'ignore',
    })
    const isListening = async () => (await Bun.file(`${data}.log`).text()).includes('"listening"')
    await until('the store listens', isListening, START_MS_MAX)
    await work(child.pid)
    child.kill()
    expect(await child.exited).toBe(0)
  }
  await start(async () => {})
  await start(async pid => {
    await Bun.sleep(SETTLE_MS)
    const status = await Bun.file(`/proc/${pid}/status`).text()
    expect(Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1])).toBeLessThan(ANONYMOUS_KIB_MAX)
  })
})

/** Runs `npm run petstore` for the folder of the package, from another folder. */
async function npmFrom(folder: string, ...args: string[]): Promise<[exitCode: number, errors: string]> {
  const child = Bun.spawn(['npm', '--prefix', ROOT, 'run', '--silent', 'petstore', '--', ...args], {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    env: { ...childEnvironment({}), PETSTORE_DATA: './data-nowhere' },
  })
  return [await child.exited, await new Response(child.stderr).text()]
}

test('a path that is typed after npm run is relative to the folder where it was typed', async () => {
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
})

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

test('the first requests load no module, so that they are as fast as later ones; a document loads some', async () => {
  const data = join(directory, 'first')
  const script = join(ROOT, 'test/cli/first-requests.ts')
  const { output } = await runToEnd(
    [process.execPath, script, data, `${await deadPort()}`, ADMIN_KEY],
    childEnvironment({ PETSTORE_ADMIN_KEY: ADMIN_KEY, PETSTORE_LOG_LEVEL: 'error' }),
  )
  const { '/openapi.yaml': ofDocument, ...ofOthers } = JSON.parse(output)
  expect(Object.keys(ofOthers)).toHaveLength(6)
  expect(Object.entries(ofOthers).filter(([, modules]) => modules !== 0)).toEqual([])
  expect(ofDocument).toBeGreaterThan(10)
})
