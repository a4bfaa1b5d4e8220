import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockDirectory } from '../../src/database/sqlite/data-lock.ts'
import { keyText } from '../../src/shop/keys/key-text.ts'
import { runAt } from '../support/command-line.ts'
import { type ProcessResult, run, type ServerProcess, startProcess } from '../support/process.ts'
import {
  dripping,
  endless,
  openReceiver,
  type Receiver,
  type Responder,
  reply,
  silence,
} from '../support/receiver.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { scratch } from '../support/tool.ts'

let data = ''
let server: ServerProcess
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'petstore-choice-'))
  server = await startProcess(['serve', '--port', '0', '--data', data])
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(data, { recursive: true, force: true })
})

const json = { 'Content-Type': 'application/json' }
const oneKey = reply(200, json, '{"id":1}')

/** Returns the Authorization headers that a server received. */
function keysAt({ received }: Receiver): (string | undefined)[] {
  return received.map(({ headers }) => headers.authorization)
}

test('the key in a data directory is sent to the store of that directory, with or without --url', async () => {
  const current = await run(['get-current-key', '--data', data])
  expect([current.exitCode, JSON.parse(current.output).id]).toEqual([0, 1])
  const byVariable = await run(['get-current-key'], { PETSTORE_DATA: data })
  const byAddress = await run(['get-current-key', '--url', `${server.base}/`], { PETSTORE_DATA: data })
  expect([byVariable.output, byAddress.output]).toEqual([current.output, current.output])
})

test('the file of a key may be in UTF-16, as PowerShell writes it, and its text is in no message', async () => {
  const key = readFileSync(join(data, 'admin-key'), 'utf8')
  const file = join(data, 'written-by-powershell')
  writeFileSync(file, Buffer.from(`\ufeff${key.trim()}\r\n`, 'utf16le'))
  const current = await run(['get-current-key', '--key', `@${file}`, '--data', data])
  expect([current.exitCode, JSON.parse(current.output).id]).toEqual([0, 1])
  writeFileSync(file, Buffer.from('secret-\xeb', 'latin1'))
  const wrong = await run(['get-current-key', '--key', `@${file}`, '--data', data])
  expect(wrong.errors.trim()).toBe('The file of --key cannot be read: it is not a text in UTF-8.')
})

test('the file of a body and the file of the key in the settings may be in UTF-16', async () => {
  const body = join(data, 'body.json')
  writeFileSync(body, Buffer.from('\ufeff{"name": "Zo\u00eb"}\r\n', 'utf16le'))
  const created = await run(['create-category', '--body', `@${body}`, '--data', data])
  expect([created.exitCode, JSON.parse(created.output).name]).toEqual([0, 'Zo\u00eb'])
  const keyFile = join(data, 'key-in-utf-16')
  writeFileSync(keyFile, Buffer.from(`${ADMIN_KEY}\r\n`, 'utf16le').swap16())
  const directory = mkdtempSync(join(tmpdir(), 'petstore-utf16-'))
  await using other = await startProcess(['serve', '--port', '0', '--no-demo', '--data', directory], {
    PETSTORE_ADMIN_KEY_FILE: keyFile,
  })
  const current = await run(['get-current-key', '--url', other.base, '--key', ADMIN_KEY])
  expect(current.exitCode).toBe(0)
  rmSync(directory, { recursive: true, force: true })
})

test('the key of --key is sent, although PETSTORE_KEY has another one', async () => {
  await using other = await openReceiver(() => oneKey)
  const [given, variable] = [ADMIN_KEY, keyText(new Uint8Array(32).fill(5))]
  const env = { PETSTORE_URL: other.base, PETSTORE_KEY: variable }
  await run(['get-current-key', '--key', given], env)
  await run(['get-current-key'], env)
  expect(keysAt(other)).toEqual([`Bearer ${given}`, `Bearer ${variable}`])
})

test('a pipe in place of the file of a key is refused at once', async () => {
  const pipe = join(data, 'pipe')
  Bun.spawnSync(['mkfifo', pipe])
  const { exitCode, errors } = await run(['get-current-key', '--key', `@${pipe}`, '--data', data])
  expect([exitCode, errors.trim()]).toEqual([2, 'The file of --key cannot be read: it is not a file.'])
})

test('the key of the data directory is sent to no other address', async () => {
  await using other = await openReceiver(() => oneKey)
  await run(['get-current-key', '--url', other.base, '--data', data])
  await run(['get-current-key'], { PETSTORE_URL: other.base, PETSTORE_DATA: data })
  // Not toEqual, for which an empty list equals a list of undefined.
  expect(keysAt(other)).toStrictEqual([undefined, undefined])
})

test('no key is sent to the address of an ended store whose process id is in use again', async () => {
  await using other = await openReceiver(() => oneKey)
  const directory = mkdtempSync(join(tmpdir(), 'petstore-stale-'))
  cpSync(join(data, 'admin-key'), join(directory, 'admin-key'))
  cpSync(join(data, 'petstore.db'), join(directory, 'petstore.db'))
  writeFileSync(join(directory, 'lock'), '')
  writeFileSync(join(directory, 'address'), `${other.base}\n${process.pid}\n`)
  const { exitCode, errors } = await run(['get-current-key', '--data', directory])
  const health = await run(['health', '--data', directory])
  rmSync(directory, { recursive: true, force: true })
  expect([exitCode, errors, health.exitCode]).toEqual([3, expect.stringContaining('No store runs in'), 3])
  expect(other.received).toEqual([])
})

test('a command for a store that is still starting says that the store has no address yet', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-starting-'))
  const lock = lockDirectory(directory)
  const { exitCode, errors } = await run(['get-current-key', '--data', directory])
  lock.release()
  rmSync(directory, { recursive: true })
  expect([exitCode, errors]).toEqual([
    3,
    `A petstore process uses ${directory}, but has no address yet: try again in a moment.\n`,
  ])
})

test('the key is not sent to another machine whose address is in the address file of a data directory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-foreign-'))
  writeFileSync(join(directory, 'address'), `http://192.0.2.1:8080\n${process.pid}\n`)
  const { exitCode, errors } = await run(['get-current-key', '--data', directory], {
    PETSTORE_KEY: ADMIN_KEY,
  })
  expect([exitCode, errors]).toEqual([3, expect.stringContaining('No store runs in')])
  const lock = lockDirectory(directory)
  const locked = await run(['get-current-key', '--data', directory, '--timeout', '2'])
  lock.release()
  rmSync(directory, { recursive: true })
  expect(locked.errors).toContain('has no address yet')
  expect(
    Object.values(networkInterfaces())
      .flat()
      .map(entry => entry?.address),
  ).not.toContain('192.0.2.1')
})

test('the key can come from an option, a file or a variable, and is in no output', async () => {
  await using other = await openReceiver(() => reply(401, json, '{"code":"invalid_token","message":"no"}'))
  const file = join(data, 'copied-key')
  writeFileSync(file, `${ADMIN_KEY}\n`)
  const ran: ProcessResult[] = [
    await run(['get-current-key', '--url', other.base, '--key', `@${file}`, '-i']),
    await run(['get-current-key', '--url', other.base], { PETSTORE_KEY: `@${file}` }),
    await run(['get-current-key', '--url', other.base, '--key', ADMIN_KEY, '--output', 'json']),
  ]
  expect(keysAt(other)).toEqual(ran.map(() => `Bearer ${ADMIN_KEY}`))
  expect(ran.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1])
  expect(ran.filter(({ output, errors }) => (output + errors).includes(ADMIN_KEY))).toEqual([])
  expect(ran[1]?.errors).toContain('The key came from PETSTORE_KEY.')
})

test('the key is not sent to the target of a redirect, nor to a proxy if the store is on this machine', async () => {
  await using other = await openReceiver(() => oneKey)
  await using first = await openReceiver(() => reply(307, { Location: `${other.base}/keys/current` }))
  const proxied = { http_proxy: other.base, HTTP_PROXY: other.base, ALL_PROXY: other.base }
  const { exitCode, output, errors } = await runAt(first.base, ['get-current-key'], proxied)
  expect([exitCode, output, errors.trim()]).toEqual([
    3,
    '',
    `${first.base}: The server responded with HTTP status 307.`,
  ])
  expect(keysAt(first)).toContain(`Bearer ${ADMIN_KEY}`)
  expect(other.connections()).toBe(0)
})

describe('servers that are not stores', () => {
  const large = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n['
  const cases: readonly [name: string, responder: Responder, exitCode: number, says: string][] = [
    ['never responds', silence, 3, 'did not respond within 1 s (--timeout).'],
    ['responds byte by byte', dripping(large, 200), 3, 'did not respond within 1 s (--timeout).'],
    ['sends a page', reply(200, { 'Content-Type': 'text/html' }, '<h1>Hi</h1>'), 3, 'is not JSON'],
    ['sends an object instead of a list', reply(200, json, '{"id":1}'), 3, 'is not an array'],
    ['does not know the path', reply(404, {}, 'what?'), 1, 'The response is not that of a petstore'],
    [
      'fails',
      reply(500, json, '{"code":"internal_error","message":"It failed.","status":500}'),
      3,
      'It failed.',
    ],
    ['sends control characters', reply(400, json, '{"code":"x","message":"\\u001b[2J"}'), 1, '\\u001b[2J'],
  ]
  test.each(cases)(
    'a server that is not a store and %s is reported in time, without a stack trace',
    async (_, responder, exitCode, says) => {
      await using receiver = await openReceiver(() => responder)
      const startedMs = performance.now()
      // A server that responds may need more than a second on a busy machine.
      const timeLimit = says.includes('--timeout') ? ['--timeout', '1'] : []
      const ran = await runAt(receiver.base, ['list-categories', ...timeLimit])
      expect(performance.now() - startedMs).toBeLessThan(20_000)
      expect([ran.exitCode, ran.output, ran.errors.includes(says) ? says : ran.errors]).toEqual([
        exitCode,
        '',
        says,
      ])
      expect([ran.errors.includes('\u001b'), ran.errors.includes('    at ')]).toEqual([false, false])
    },
  )

  test('an endless response of a server that is not a store is read up to a limit', async () => {
    await using receiver = await openReceiver(() => endless(large))
    const { exitCode, output, errors } = await runAt(receiver.base, ['list-categories'])
    expect([exitCode, output, errors]).toEqual([
      3,
      '',
      expect.stringContaining('has more than 67108864 bytes'),
    ])
  })
})

test('a change whose response is lost is reported as a change with an unknown outcome', async () => {
  await using receiver = await openReceiver(() => silence)
  const { exitCode, errors } = await runAt(receiver.base, ['cancel-order', '1', '--timeout', '0.5'])
  expect([exitCode, errors]).toEqual([
    3,
    expect.stringContaining('It is unknown whether the change was made.'),
  ])
})

test('a long poll may wait longer than the time limit of a request', async () => {
  const key = readFileSync(join(data, 'admin-key'), 'utf8').trim()
  const args = ['list-events', '--after', '714', '--type', 'petstore.category.deleted', '--wait', '2']
  const startedMs = performance.now()
  const { exitCode, errors } = await runAt(server.base, [...args, '--timeout', '1'], { PETSTORE_KEY: key })
  expect([exitCode, errors]).toEqual([0, ''])
  expect(performance.now() - startedMs).toBeGreaterThan(1900)
})

test.each(['health', 'list-pets', 'history pet 1', 'sandboxes'])(
  'petstore %s says in one sentence that its data directory cannot be read',
  async words => {
    using place = scratch()
    const loop = join(place.path, 'loop')
    symlinkSync(loop, loop)
    const { exitCode, output, errors } = await run([...words.split(' '), '--data', loop])
    expect([exitCode, output, errors]).toEqual([
      1,
      '',
      expect.stringMatching(/^The data directory .*loop cannot be read: ELOOP: [^\n]*\.\n$/),
    ])
  },
)

test('a file is no data directory, and a lock that cannot be read does not mean that no store runs', async () => {
  using place = scratch()
  const file = join(place.path, 'file')
  writeFileSync(file, '')
  const ofFile = await run(['list-pets', '--data', file])
  expect([ofFile.exitCode, ofFile.errors]).toEqual([3, expect.stringMatching(/^No store runs in [^\n]*\n$/)])
  mkdirSync(join(place.path, 'lock'))
  const ofLock = await run(['list-pets', '--data', place.path])
  expect([ofLock.exitCode, ofLock.errors]).toEqual([
    1,
    expect.stringMatching(/^The data directory [^\n]* cannot be read: [^\n]*\n$/),
  ])
})

test.each([
  'keys list',
  'keys reset-admin',
  'audit verify',
  'export pets',
  'reset --empty --yes',
  'backup --to {data}/backup',
])('petstore %s says that there is no store in its data directory, and creates nothing', async words => {
  using place = scratch()
  const data = join(place.path, 'absent')
  const { exitCode, output, errors } = await run([
    ...words.replace('{data}', data).split(' '),
    '--data',
    data,
  ])
  expect([exitCode, output, errors, existsSync(data)]).toEqual([
    1,
    '',
    `There is no store in ${data}: specify its directory with --data.\n`,
    false,
  ])
})
