import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { makeClient } from '../support/client.ts'
import type { EngineName } from '../support/engines.ts'
import { type OpenStream, openStream } from '../support/open-stream.ts'
import { newDatabase } from '../support/postgres-server.ts'
import {
  childEnvironment,
  onPostgres,
  type ProcessResult,
  runToEnd,
  type ServerProcess,
  startCommand,
} from '../support/process.ts'
import { openReceiver } from '../support/receiver.ts'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'
import { runScript, scratch } from '../support/tool.ts'

const BYTES_MAX = 140 * 1024 * 1024
/** A store that reads this file cannot start, because no database listens at the address. */
const DOTENV = 'DATABASE_URL=postgres://nobody@127.0.0.1:1/none\nPETSTORE_DEMO=false\n'

const folder = scratch()
const built = join(folder.path, 'built', 'petstore')
let printed = ''

beforeAll(async () => {
  const build = await runScript([join(ROOT, 'build/single-file.ts'), '--outfile', built], folder.path)
  if (build.exitCode !== 0) throw new Error(build.printed)
  printed = build.printed
})

afterAll(() => folder[Symbol.dispose]())

/** A folder that contains the single file, and settings of another program that the store must not read. */
interface Installation extends Disposable {
  readonly path: string
  /** Runs a command in the folder, and resolves when the command has ended. */
  run(...args: string[]): Promise<ProcessResult>
  start(...args: string[]): Promise<ServerProcess>
}

/** Copies the single file into a new folder. `env` is the environment of each of its processes. */
function install(env: Readonly<Record<string, string>> = {}): Installation {
  const { path, [Symbol.dispose]: dispose } = scratch()
  copyFileSync(built, join(path, 'petstore'))
  writeFileSync(join(path, '.env'), DOTENV)
  writeFileSync(join(path, 'bunfig.toml'), 'preload = ["./missing.ts"]\n')
  return {
    path,
    run: (...args) => runToEnd([join(path, 'petstore'), ...args], childEnvironment(env), path),
    start: (...args) => startCommand([join(path, 'petstore'), 'serve', '--port', '0', ...args], env, path),
    [Symbol.dispose]: dispose,
  }
}

/** Returns the settings of a store on an engine, with the admin key of the tests. */
async function settingsFor(engine: EngineName): Promise<Record<string, string>> {
  return { PETSTORE_ADMIN_KEY: ADMIN_KEY, ...(engine === 'postgres' && onPostgres(await newDatabase())) }
}

/** Returns the addresses that begin with a slash, from the src and href attributes of a page. */
function addressesIn(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, address = '']) => address)
}

/** Reads a stream up to the first event of a type, and returns the types that it read. */
async function eventTypes(stream: OpenStream, last: string): Promise<string[]> {
  const types: string[] = []
  for (let block = await stream.event(); block; block = await stream.event()) {
    const { type }: { type: string } = JSON.parse(block.data ?? '{}')
    types.push(type)
    if (type === last) break
  }
  return types
}

onEveryEngine(engine => {
  test('the single file imports into a store, backs it up, checks it and restores it', async () => {
    const env = await settingsFor(engine)
    using installation = install(env)
    const pets = join(installation.path, 'pets.csv')
    writeFileSync(pets, 'name,category,quantity\nOttoline,Dogs,3\n')
    {
      await using server = await installation.start()
      expect(await installation.run('import', '--pets', pets)).toMatchObject({ exitCode: 0 })
      expect(await installation.run('backup', '--to', 'backup')).toMatchObject({ exitCode: 0 })
      const found = await installation.run('list-pets', '--name', 'Ottoline', '--url', server.base)
      expect(JSON.parse(found.output)).toMatchObject([{ name: 'Ottoline', status: 'available' }])
      expect(await server.kill('SIGTERM')).toBe(0)
    }
    const checked = await installation.run('doctor')
    expect([checked.exitCode, checked.output]).toEqual([0, expect.not.stringMatching(/^(warn|FAIL)/m)])
    const place = engine === 'postgres' ? await newDatabase() : 'restored'
    expect(await installation.run('restore', '--from', 'backup', '--to', place)).toMatchObject({
      exitCode: 0,
    })
    const argument = engine === 'postgres' ? '--database-url' : '--data'
    await using server = await installation.start(argument, place)
    const response = await fetch(`${server.base}/pets?name=Ottoline`)
    expect(await response.json()).toMatchObject([{ name: 'Ottoline' }])
  })
})

test('the single file serves the API, its pages and its descriptions', async () => {
  using installation = install(await settingsFor('sqlite'))
  await using server = await installation.start()
  const { base } = server
  expect(await (await fetch(`${base}/pets/3`)).json()).toMatchObject({ name: 'Biscuit (Beagle)' })
  const client = makeClient({ base, key: ADMIN_KEY })
  // On SQLite, the reader worker reads a list of this length.
  expect((await client.listPets({ limit: 100, sort: 'name' })).data.items).toHaveLength(100)
  for (const path of ['/openapi.json', '/openapi.yaml', '/llms.txt', '/metrics']) {
    expect([path, (await fetch(base + path)).status]).toEqual([path, 200])
  }
  for (const path of ['/docs', '/console']) {
    const page = await (await fetch(base + path)).text()
    const addresses = addressesIn(page).filter(address => address !== '/openapi.json')
    expect(addresses).toHaveLength(2)
    for (const address of addresses) {
      const response = await fetch(base + address)
      expect([address, response.status]).toEqual([address, 200])
    }
  }
  expect(await (await fetch(`${base}/docs/guide`)).text()).toContain('href="guide/start"')
  for (const name of readdirSync(join(ROOT, 'dist/guide')).filter(name => name !== 'index.html')) {
    const response = await fetch(`${base}/docs/guide/${name.replace('.html', '')}`)
    expect([name, await response.text()]).toEqual([
      name,
      readFileSync(join(ROOT, 'dist/guide', name), 'utf8'),
    ])
  }
  for (const name of readdirSync(join(ROOT, 'dist/console'))) {
    const response = await fetch(`${base}/console/assets/${name}`)
    expect([name, await response.text()]).toEqual([
      name,
      readFileSync(join(ROOT, 'dist/console', name), 'utf8'),
    ])
  }
  expect(await server.kill('SIGTERM')).toBe(0)
})

test('the single file sends events, and keeps acknowledged orders after SIGKILL', async () => {
  using installation = install(await settingsFor('sqlite'))
  await using receiver = await openReceiver()
  let orderId = 0n
  {
    await using server = await installation.start('--allow-private-webhooks')
    const client = makeClient({ base: server.base, key: ADMIN_KEY })
    await client.createWebhook({ body: { url: `${receiver.base}/` } })
    await using stream = await openStream(server.base)
    const { data: order } = await client.placeOrder({ body: { petId: 3n, reference: 'R-1' } })
    orderId = order.id ?? 0n
    expect(await eventTypes(stream, 'petstore.order.placed')).toContain('petstore.order.placed')
    await receiver.waitForRequests(1)
    await server.kill('SIGKILL')
  }
  await using server = await installation.start()
  const client = makeClient({ base: server.base, key: ADMIN_KEY })
  const { data } = await client.getOrder({ orderId })
  expect(data).toMatchObject({ id: orderId, reference: 'R-1' })
  const verified = await installation.run('audit', 'verify')
  expect([verified.exitCode, verified.output]).toEqual([0, expect.stringContaining('are intact')])
  expect(await server.kill('SIGTERM')).toBe(0)
})

test('the single file prints its version, its commands and the description of the API', async () => {
  using installation = install()
  expect((await installation.run('--version')).output).toBe('1.0.0\n')
  const { output } = await installation.run('--help')
  for (const command of ['serve', 'backup', 'restore', 'licenses'])
    expect(output).toContain(`\n  ${command} `)
  expect((await installation.run('openapi')).output).toBe(readFileSync(join(ROOT, 'openapi.yaml'), 'utf8'))
  const unknown = await installation.run('fetch')
  expect(unknown).toMatchObject({
    exitCode: 2,
    errors: 'There is no command or argument "fetch". See --help.\n',
  })
  expect(readdirSync(installation.path).sort()).toEqual(['.env', 'bunfig.toml', 'petstore'])
})

test('the single file prints the licenses of the runtime and of its packages', async () => {
  using installation = install()
  const { output } = await installation.run('licenses')
  const titles =
    output.match(/^(MIT License| *GNU LESSER GENERAL PUBLIC LICENSE|# Third-party packages)$/gm) ?? []
  expect(titles).toContain('MIT License')
  expect(titles.map(title => title.trim())).toContain('GNU LESSER GENERAL PUBLIC LICENSE')
  const packages = [...output.matchAll(/(?:={80}|-{80})\n\n((?:\S+\n)+)\n/g)].flatMap(([, names]) =>
    names?.split('\n'),
  )
  const expected = [
    'zod',
    'commander',
    'yaml',
    'standardwebhooks',
    '@scalar/api-reference',
    'react',
    '@mantine/core',
  ]
  expect(packages).toEqual(expect.arrayContaining(expected))
  // The output links to the source of the JavaScript engine of the runtime, as the LGPL requires.
  expect(output.includes(`github.com/oven-sh/WebKit/tree/${process.versions.webkit}`)).toBe(true)
})

if (process.platform === 'linux') {
  test('a store that runs from the single file opens no file of the project', async () => {
    using installation = install()
    await using server = await installation.start()
    for (const path of ['/docs/scalar.js', '/console', '/pets?limit=100']) await fetch(server.base + path)
    const files = openFiles(server.pid)
    expect(files).toContain(realpathSync(join(installation.path, 'petstore')))
    expect(files.filter(path => path.startsWith(`${ROOT}/`))).toEqual([])
  })
}

/** Returns the paths of the files that a process has mapped or open. */
function openFiles(pid: number): string[] {
  const mapped = readFileSync(`/proc/${pid}/maps`, 'utf8').match(/\/.*$/gm) ?? []
  const open = readdirSync(`/proc/${pid}/fd`).map(name => readlinkSync(`/proc/${pid}/fd/${name}`))
  return [...mapped, ...open]
}

test('the build prints the size and the hash of the single file, which contains no path of the project', () => {
  const bytes = readFileSync(built)
  expect(bytes.length).toBeLessThan(BYTES_MAX)
  expect(statSync(built).mode & 0o111).not.toBe(0)
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  expect(printed).toContain(`petstore: ${Math.round(bytes.length / 1_048_576)} MiB, SHA-256 ${hash}\n`)
  expect(readdirSync(join(folder.path, 'built'))).toEqual(['petstore'])
  // A program that does not know the path of the project cannot read its files.
  expect(bytes.indexOf(`${ROOT}/`)).toBe(-1)
})

test('only program-files.ts uses import.meta, except for the URLs of workers, which the build recognizes', () => {
  const worker = /new URL\('\.\/[^']+\.ts', import\.meta\.url\)/g
  const others = [...new Glob('src/**/*.{ts,tsx}').scanSync(ROOT)]
    .filter(path => path !== 'src/files/program-files.ts' && !path.endsWith('.test.ts'))
    .filter(path => {
      const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(worker, '')
      return /import\.meta|__dirname|__filename/.test(text)
    })
  expect(others).toEqual([])
})

test('a truncated single file reports that the file is truncated', async () => {
  using installation = install()
  truncateSync(join(installation.path, 'petstore'), statSync(built).size - 3_000_000)
  const { exitCode, errors } = await installation.run('--version')
  expect([exitCode, errors]).toEqual([1, expect.stringContaining('is truncated')])
})
