import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { localAddress } from '../../src/cli/store-access/this-machine.ts'
import { lockDirectory } from '../../src/database/sqlite/data-lock.ts'
import { makeClient } from '../support/client.ts'
import { withoutTakeBackHint } from '../support/command-line.ts'
import { type ProcessResult, run, startProcess } from '../support/process.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'

const directory = testFolder()
beforeAll(() => {
  writeFileSync(join(directory, 'categories.csv'), 'name\nOtters\n')
})

let count = 0
const newDirectory = (): string => join(directory, `data-${++count}`)

/** A server that is not the store, and must never receive the admin key. */
interface Outsider extends AsyncDisposable {
  readonly base: string
  readonly receivedRequests: string[]
}

function outsider(): Outsider {
  const receivedRequests: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: request => {
      receivedRequests.push(`${request.method} ${request.url} ${request.headers.get('authorization')}`)
      return Response.json({ categoriesCreated: 1, categoriesFound: 0, petsCreated: 0, problems: [] })
    },
  })
  const base = `http://127.0.0.1:${server.port}`
  return { base, receivedRequests, [Symbol.asyncDispose]: () => server.stop(true) }
}

function importCategories(data: string, env: Record<string, string> = {}): Promise<ProcessResult> {
  const file = join(directory, 'categories.csv')
  return run(['import', '--categories', file, '--data', data], { PETSTORE_ADMIN_KEY: ADMIN_KEY, ...env })
}

for (const host of ['127.0.0.1', '0.0.0.0']) {
  test(`an import into a store on ${host} goes to this machine, whatever base URL and proxy are set`, async () => {
    await using other = outsider()
    const data = newDirectory()
    const args = ['serve', '--host', host, '--port', '0', '--no-demo', '--data', data]
    await using server = await startProcess([...args, '--base-url', other.base], {
      PETSTORE_ADMIN_KEY: ADMIN_KEY,
    })
    expect(server.base).toBe(other.base)
    const addressFile = join(data, 'address')
    const address = readFileSync(addressFile, 'utf8').split('\n')[0] ?? ''
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(statSync(addressFile).mode & 0o777).toBe(0o600)
    const ended = await importCategories(data, {
      HTTP_PROXY: other.base,
      http_proxy: other.base,
      ALL_PROXY: other.base,
    })
    expect([ended.exitCode, withoutTakeBackHint(ended.errors).trim().split('\n')]).toEqual([
      0,
      [
        `Importing categories.csv (12 bytes) into the store in ${data}, which is running at ${address}.`,
        'Loaded 1 category and 0 pets.',
      ],
    ])
    const { data: page } = await makeClient({ base: address, key: ADMIN_KEY }).listCategories({})
    expect(page.items.map(({ name }) => name)).toEqual(['Otters'])
    expect(other.receivedRequests).toEqual([])
    await server.kill('SIGTERM')
    expect(readFileSync(addressFile, 'utf8').trim()).toBe('')
  })
}

test('an import ignores the address file of a process that has ended', async () => {
  await using other = outsider()
  const ended = Bun.spawn(['true'])
  await ended.exited
  const data = newDirectory()
  const lock = lockDirectory(data)
  const addressFile = join(data, 'address')
  for (const text of [`${other.base}\n${ended.pid}\n`, `${other.base}\n`, '']) {
    writeFileSync(addressFile, text)
    const refused = await importCategories(data)
    expect([refused.exitCode, refused.errors.trim()]).toEqual([
      1,
      `The data directory ${data} is in use by another petstore process. ` +
        'It has not published its address; try again.',
    ])
  }
  lock.release()
  writeFileSync(addressFile, `${other.base}\n${process.pid}\n`)
  expect(
    withoutTakeBackHint((await importCategories(data)).errors)
      .trim()
      .split('\n'),
  ).toEqual([
    `Importing categories.csv (12 bytes) into a new store in ${data}.`,
    'Loaded 1 category and 0 pets.',
  ])
  expect(other.receivedRequests).toEqual([])
})

describe('local addresses', () => {
  const cases: [host: string, address: string][] = [
    ['127.0.0.1', 'http://127.0.0.1:8080'],
    ['0.0.0.0', 'http://127.0.0.1:8080'],
    ['0', 'http://127.0.0.1:8080'],
    ['::', 'http://[::1]:8080'],
    ['0:0:0:0:0:0:0:0', 'http://[::1]:8080'],
    ['::1', 'http://[::1]:8080'],
    ['localhost', 'http://localhost:8080'],
    ['192.168.1.5', 'http://192.168.1.5:8080'],
    ['fd00::7', 'http://[fd00::7]:8080'],
  ]
  for (const [host, address] of cases) {
    test(`the local address of a listener is ${address} for --host ${host}`, () => {
      expect(localAddress(host, 8080)).toBe(address)
    })
  }
})
