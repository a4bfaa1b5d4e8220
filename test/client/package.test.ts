import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import { packClient } from '../../build/pack-client.ts'
import { openDemo } from '../support/demo-store.ts'
import { childEnvironment, type ProcessResult, runToEnd } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { openSandboxHost, type TestHost } from '../support/sandbox-host.ts'
import { ADMIN_KEY, type TestStore } from '../support/store.ts'
import { runTool, scratch, toolEnvironment } from '../support/tool.ts'
import { until } from '../support/until.ts'

const GZIP_BYTES_MAX = 40 * 1024

const [setup = '', ...examples] = [
  ...readFileSync(join(ROOT, 'src/client/README.md'), 'utf8').matchAll(/```js\n([\s\S]*?)```/g),
].map(([, code = '']) => code)
const server = examples.find(code => code.includes('createServer')) ?? ''
const programs = examples.filter(code => code !== server)

/** Returns the output that the comments of a program show: after the calls of console.log, or on lines below a loop. */
function shownOutput(code: string): string[] {
  return [...code.matchAll(/(?:console\.log\(.*\) |^)\/\/ (.*)$/gm)].map(([, text = '']) => text)
}

/** A project in which only the package of the client is installed. */
const project = scratch()
beforeAll(async () => {
  using packed = scratch()
  const tarball = packClient(packed.path)
  writeFileSync(join(project.path, 'package.json'), '{"name":"till","private":true,"type":"module"}')
  const command = ['npm', 'install', tarball, '--offline', '--no-audit', '--no-fund']
  const { exitCode, errors } = await runToEnd(command, toolEnvironment(), project.path)
  if (exitCode !== 0) throw new Error(errors)
})

afterAll(() => project[Symbol.dispose]())

async function runInProject(
  runtime: 'node' | 'bun',
  base: string,
  sandboxes: string,
  code: string,
): Promise<ProcessResult> {
  const file = join(project.path, `program-${Bun.hash(code)}.js`)
  writeFileSync(file, code)
  const env = childEnvironment({
    PETSTORE_URL: base,
    PETSTORE_KEY: ADMIN_KEY,
    PETSTORE_SANDBOXES: sandboxes,
    NO_COLOR: '1',
  })
  return await runToEnd([runtime === 'bun' ? process.execPath : 'node', file], env, project.path)
}

test('installing the client installs no other package', async () => {
  const { output } = await runToEnd(['npm', 'ls', '--all', '--parseable'], toolEnvironment(), project.path)
  expect(
    output
      .trim()
      .split('\n')
      .slice(1)
      .map(path => path.split('/').at(-1)),
  ).toEqual(['petstore-client'])
})

test('the client is at most 40 KiB with gzip, and imports nothing but its own files', async () => {
  const entry = join(project.path, 'node_modules/petstore-client/client/petstore-client.js')
  const { outputs } = await Bun.build({ entrypoints: [entry], minify: true, target: 'browser' })
  const bundle = (await outputs[0]?.text()) ?? ''
  const bytes = gzipSync(bundle).length
  expect(bytes).toBeGreaterThan(1024)
  expect(bytes).toBeLessThan(GZIP_BYTES_MAX)
  expect(bundle).not.toMatch(/\b(import|require)\s*\(|\bfrom\s*["'][^,\]]/)
})

for (const runtime of ['node', 'bun'] as const) {
  describe(`the examples of the README on ${runtime}`, () => {
    let store: TestStore
    let host: TestHost
    beforeAll(async () => {
      store = await openDemo()
      host = await openSandboxHost()
    })
    afterAll(async () => {
      await store[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
    })

    programs.forEach((code, index) => {
      test(`example ${index + 1} prints the output that the README shows`, async () => {
        const { exitCode, output, errors } = await runInProject(runtime, store.base, host.base, setup + code)
        expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
        expect(output.trim().split('\n')).toEqual(shownOutput(code))
      })
    })
  })
}

test('lost-response-node.mjs tests a sandbox, deletes it, and is shown in docs/testing.md', async () => {
  await using host = await openSandboxHost()
  const file = join(project.path, 'lost-response-node.mjs')
  copyFileSync(join(ROOT, 'examples/sandbox/lost-response-node.mjs'), file)
  const env = childEnvironment({ PETSTORE_SANDBOXES: host.base })
  const command = ['node', '--test', '--test-reporter=tap', file]
  const { exitCode, output } = await runToEnd(command, env, project.path)
  expect([exitCode, output]).toEqual([0, expect.stringContaining('# pass 1\n# fail 0')])
  expect(host.host.counts.sandboxes).toBe(0)
  const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8')
  const [, shown = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? []
  expect([shown.length > 500, readFileSync(file, 'utf8')]).toEqual([true, expect.stringContaining(shown)])
})

test('every example of the README shows its output, and there are at least ten', () => {
  expect(programs.filter(code => shownOutput(code).length > 0).length).toBe(programs.length)
  expect(programs.length).toBeGreaterThanOrEqual(10)
})

test('the webhook receiver of the README accepts a signed request and refuses a changed one', async () => {
  const secret = /whsec_\w+/.exec(server)?.[0] ?? ''
  const file = join(project.path, 'receiver.js')
  const listening = "}).listen(0, function () { console.log('port', this.address().port) })"
  writeFileSync(file, setup + server.replace('}).listen(9999)', listening))
  const env = childEnvironment({ PETSTORE_URL: 'http://127.0.0.1:9', PETSTORE_KEY: ADMIN_KEY })
  const child = Bun.spawn(['node', file], { cwd: project.path, env, stdout: 'pipe', stderr: 'inherit' })
  try {
    let printed = ''
    void child.stdout.pipeTo(
      new WritableStream({
        write: chunk => {
          printed += Buffer.from(chunk).toString()
        },
      }),
    )
    await until('the receiver listens', () => /port \d+/.test(printed))
    const url = `http://127.0.0.1:${/port (\d+)/.exec(printed)?.[1]}/`
    const body = '{"type":"petstore.order.placed","subject":"orders/1","data":{"id":9223372036854775807}}'
    const now = new Date()
    const headers = {
      'webhook-id': '721',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('721', now, body),
    }
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(204)
    expect((await fetch(url, { method: 'POST', headers, body: `${body} ` })).status).toBe(400)
    await until('the receiver prints the event', () => printed.includes('petstore.order.placed orders/1\n'))
  } finally {
    child.kill('SIGKILL')
  }
})

test('a CommonJS program, such as a test for Jest, requires the client', async () => {
  await using store = await openDemo()
  const code = `
const { ApiError, createClient, toJson } = require('petstore-client')
const store = createClient({ baseUrl: process.env.PETSTORE_URL })
store.getCategory({ categoryId: 1 })
  .then(({ data }) => console.log(toJson({ id: data.id })))
  .then(() => store.getCategory({ categoryId: 404 }))
  .catch(error => console.log(error instanceof ApiError, error.code))`
  const file = join(project.path, 'program.cjs')
  writeFileSync(file, code)
  const { output, errors } = await runToEnd(
    ['node', file],
    childEnvironment({ PETSTORE_URL: store.base }),
    project.path,
  )
  expect([errors, output]).toEqual(['', '{"id":1}\ntrue category_not_found\n'])
})

/** Uses of the types that must compile, and uses that must not. */
const typeProgram = `
import {
  ApiError, createClient, createSandbox, type ErrorCode, type FaultRule, type LoggedRequest, type Order,
  type SandboxOptions,
} from 'petstore-client'

const store = createClient({ baseUrl: 'http://127.0.0.1' })
export async function main(): Promise<void> {
  const { data: order } = await store.getOrder({ orderId: 1 })
  const complete: boolean = order.complete
  const ids: bigint[] = [order.id, order.petId, order.quantity]
  const shipDate: string | undefined = order.shipDate
  const maybe = await store.getOrder({ orderId: 1n }, { ifNoneMatch: '"x"' })
  // @ts-expect-error a response to ifNoneMatch may have no data
  maybe.data.id
  if (maybe.status !== 304) maybe.data.id satisfies bigint
  for await (const pet of store.listPets({ status: ['sold'] })) pet.status satisfies 'available' | 'pending' | 'sold'
  for await (const event of store.followEvents()) {
    if (event.type === 'petstore.order.placed') event.data satisfies Order
  }
  const first = await store.listPets()
  first.data.items[0]?.name satisfies string | undefined
  // @ts-expect-error there is no such status
  await store.listPets({ status: ['free'] })
  // @ts-expect-error the name is missing
  await store.createPet({ body: { categoryId: 1n } })
  // @ts-expect-error there is no such parameter
  await store.getOrder({ id: 1n })
  // @ts-expect-error an id is an integer
  await store.getOrder({ orderId: '1' })
  // @ts-expect-error the hidden operations of the command line are not part of the client
  await store.stageImport({})
  try {
    await store.cancelOrder({ orderId: 1n }, { ifMatch: '"x"' })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const code: ErrorCode | 'unknown' = error.code
    // @ts-expect-error the catalogue has no such code
    if (code === 'no_such_code') return
  }
  void [complete, ids, shipDate]
}

export async function useSandbox(options: SandboxOptions): Promise<void> {
  const sandbox = await createSandbox(options)
  const order: Order = (await sandbox.placeOrder({ body: { petId: 3 } })).data
  await sandbox.faults([{ name: 'a', when: { share: 0.5 }, effect: { type: 'error', code: 'storage_full' } }])
  const entries: LoggedRequest[] = await sandbox.requests({ limit: 5 })
  for (const { status, ms } of entries) void ((status satisfies bigint | undefined), (ms satisfies number))
  // @ts-expect-error a delay needs its time
  const late: FaultRule = { name: 'late', effect: { type: 'delay' } }
  // @ts-expect-error the catalogue has no such code
  const wrong: FaultRule = { name: 'wrong', effect: { type: 'error', code: 'no_such_code' } }
  // @ts-expect-error the store has no such operation
  const unknown: FaultRule = { name: 'unknown', operation: 'buyPet', effect: { type: 'truncate' } }
  // @ts-expect-error a condition has exactly one member
  const never: FaultRule = { name: 'never', when: {}, effect: { type: 'truncate' } }
  // @ts-expect-error there is no such seed
  await createSandbox({ seed: 'huge' })
  await sandbox[Symbol.asyncDispose]()
  void [order, late, wrong, unknown, never]
}
`

test('the types compile with plain tsc --strict, and refuse wrong uses', async () => {
  const declared = 'declare const process: { env: Record<string, string | undefined> }\n'
  const files = [
    ['types.ts', typeProgram],
    ['types.cts', typeProgram],
    ...programs.map((code, index) => [`example-${index}.ts`, declared + setup + code]),
  ] as const
  for (const [name = '', code = ''] of files) writeFileSync(join(project.path, name), code)
  const names = files.map(([name = '']) => name)
  const options = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--types', '']
  const { exitCode, printed } = await runTool('tsc', [...options, ...names], project.path)
  expect({ exitCode, printed }).toEqual({ exitCode: 0, printed: '' })
})
