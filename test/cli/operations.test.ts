import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { addOperation, optionsOf } from '../../src/cli/operations/command.ts'
import { exampleWords } from '../../src/cli/operations/example.ts'
import { commandIds, kebabCase, operationOf } from '../../src/cli/operations/names.ts'
import { CommandFailed } from '../../src/cli/terminal/terminal.ts'
import type { OperationId } from '../../src/shop/registry/operations.ts'
import { parseJson } from '../../src/values/json.ts'
import { runAt, runOnTerminal, runWithInput } from '../support/command-line.ts'
import { openDemo } from '../support/demo-store.ts'
import { childEnvironment, command, run } from '../support/process.ts'
import { deadPort, openReceiver, type Received, reply } from '../support/receiver.ts'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

let store: TestStore
let directory = ''
beforeAll(async () => {
  store = await openDemo()
  directory = mkdtempSync(join(tmpdir(), 'petstore-operations-'))
})
afterAll(async () => {
  await store[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
})

const cli = (...args: string[]) => runAt(store.base, args)

/** Runs the command of an operation in this process, against the server at `base`. Returns what the command prints. */
async function runHere(base: string, words: readonly string[]): Promise<string> {
  const program = new Command().exitOverride()
  for (const id of commandIds) if (kebabCase(id) === words[0]) addOperation(program, id)
  const printed = join(directory, 'printed')
  const { fd, isTTY } = process.stdout
  const file = openSync(printed, 'w')
  const errors = spyOn(process.stderr, 'write').mockImplementation(() => true)
  const before = { ...process.env }
  try {
    Object.assign(process.env, { PETSTORE_URL: base, PETSTORE_KEY: ADMIN_KEY })
    Object.assign(process.stdout, { fd: file, isTTY: false })
    await program.parseAsync([...words], { from: 'user' })
  } finally {
    for (const name of ['PETSTORE_URL', 'PETSTORE_KEY']) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
    Object.assign(process.stdout, { fd, isTTY })
    closeSync(file)
    errors.mockRestore()
  }
  return readFileSync(printed, 'utf8')
}

/** The operations whose response ends. */
const finiteIds = commandIds.filter(id => !('stream' in operationOf(id).success))

test('every operation except the stream has a command whose example works against the demo shop', async () => {
  expect(finiteIds.length).toBeGreaterThan(35)
  await using demo = await openDemo()
  for (const id of finiteIds) {
    const words = exampleWords(id, optionsOf(id, operationOf(id)).flags)
    const printed = await runHere(demo.base, words)
    const { status } = operationOf(id).success
    expect([id, printed === '' ? 204 : typeof parseJson(printed)]).toEqual([
      id,
      status === 204 ? 204 : 'object',
    ])
    if (id === 'sendTestEvent') {
      await until('the test event was attempted', async () => {
        const { data } = await demo.client.listDeliveries({ webhookId: 1n })
        return data.items.length > 0
      })
    }
  }
})

test('every operation but the stream sends each option as the right parameter, header or body member', async () => {
  await using server = await openReceiver(() =>
    reply(
      418,
      { 'Content-Type': 'application/json' },
      '{"code":"pet_not_found","message":"no","status":418}',
    ),
  )
  for (const id of finiteIds) {
    const { words, sent } = wholeCommandLine(id)
    await expect(runHere(server.base, words)).rejects.toBeInstanceOf(CommandFailed)
    const request = server.received.at(-1)
    expect({ id, ...(request && partsOf(request)) }).toMatchObject({ id, ...sent })
  }
  expect(server.received).toHaveLength(finiteIds.length)
})

test('a return without options takes back all that is left', async () => {
  await using demo = await openDemo()
  await runHere(demo.base, ['place-order', '--pet-id', '7', '--complete', 'true'])
  expect(await runHere(demo.base, ['return-order', '1'])).toContain('"quantity":-1')
})

test('the options of an operation differ in name, and no local command is named like an operation', async () => {
  for (const id of commandIds) {
    const { flags, common } = optionsOf(id, operationOf(id))
    const names = [
      ...flags.map(({ flag }) => flag),
      ...common.filter(option => !option.hidden).map(option => option.name()),
    ]
    expect([id, ...names].sort()).toEqual([id, ...new Set(names)].sort())
  }
  const { output } = await run(['--help'])
  const local = [...output.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name)
  expect(local).toContain('serve')
  expect(commandIds.map(kebabCase).filter(name => local.includes(name))).toEqual([])
})

/** Returns a command line with all options of an operation that are valid together, and the request to send. */
function wholeCommandLine(id: OperationId) {
  const operation = operationOf(id)
  const { flags } = optionsOf(id, operation)
  const path = Object.values(operation.pathParameters ?? {}).map(({ example }) => String(example))
  const given = flags
    .filter(({ name }) => name !== 'If-None-Match' || operation.method === 'GET')
    .map(flag => ({ ...flag, text: textOf(flag.example, flag.values) }))
  const named = (place: string) => given.filter(flag => flag.place === place)
  return {
    words: [kebabCase(id), ...path, ...given.flatMap(({ flag, text }) => [`--${flag}`, text])],
    sent: {
      method: operation.method,
      authorization: `Bearer ${ADMIN_KEY}`,
      path: operation.path.replaceAll(/\{\w+\}/g, () => path.shift() ?? ''),
      query: Object.fromEntries(named('query').map(({ name, text }) => [name, text])),
      headers: named('header')
        .map(({ name }) => name.toLowerCase())
        .sort(),
      members: named('body').map(({ name }) => name),
    },
  }
}

function textOf(example: unknown, values: readonly string[]): string {
  const [first] = [example].flat()
  if (typeof first === 'object') return JSON.stringify(example)
  return first === undefined ? (values[0] ?? 'text') : String(first)
}

function partsOf({ method, path, headers, body }: Received) {
  const url = new URL(path, 'http://store')
  const conditions = ['idempotency-key', 'if-match', 'if-none-match']
  const text = body.toString()
  return {
    method,
    authorization: headers.authorization,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.keys(headers)
      .filter(name => conditions.includes(name))
      .sort(),
    members: text === '' ? [] : Object.keys(JSON.parse(text)),
  }
}

test('petstore serve imports no module of the commands for operations', () => {
  const loaded = [...staticImports('src/main.ts'), ...staticImports('src/cli/serve/serve.ts')]
  expect(loaded).toContain('src/serving/server.ts')
  expect(
    loaded.filter(path => /cli\/(operations|completion|terminal\/output|inspect\/history)/.test(path)),
  ).toEqual([])
  expect([...staticImports('src/main.ts')]).toEqual([
    'src/main.ts',
    'src/cli/terminal/terminal.ts',
    'src/values/control-characters.ts',
    'src/files/version.ts',
  ])
  expect(staticImports('src/cli/operations/operations.ts')).toContain('src/cli/operations/command.ts')
})

/** Returns a file and the files that its static imports load, directly or indirectly. */
function staticImports(path: string, seen = new Set<string>([path])): Set<string> {
  const text = readFileSync(join(ROOT, path), 'utf8')
  for (const [, specifier = ''] of text.matchAll(/^(?:import|export) (?!type)[^;]*?from '(\.[^']*\.ts)'/gm)) {
    const next = join(path, '..', specifier)
    if (!seen.has(next)) staticImports(next, seen.add(next))
  }
  return seen
}

test('a command with a kebab-case or camelCase name prints exactly the JSON of the store to a pipe', async () => {
  const body = await (await store.send('GET', '/pets?status=available&categoryId=2&limit=3')).text()
  const kebab = await cli('list-pets', '--status', 'available', '--category-id', '2', '--limit', '3')
  const camel = await cli('listPets', '--status=available', '--categoryId', '2', '--limit', '3')
  expect([kebab.exitCode, kebab.output, kebab.errors]).toEqual([0, `${body}\n`, ''])
  expect(camel.output).toBe(kebab.output)
})

test('an entity tag is sent without the W/ of a compressing proxy, and in quotes', async () => {
  await using server = await openReceiver(() => reply(200, {}, '{"id":3,"name":"Bisou"}'))
  for (const tag of ['abc-1', '"abc-1"', 'W/abc-1', 'W/"abc-1"', '*', '"a", W/"b"'])
    await runAt(server.base, ['update-pet', '3', '--name', 'Bisou', '--if-match', tag])
  expect(server.received.map(({ headers }) => headers['if-match'])).toEqual([
    ...Array(4).fill('"abc-1"'),
    '*',
    '"a", W/"b"',
  ])
})

test('a command sends and prints integers beyond 2^53 exactly', async () => {
  const id = '9007199254740993'
  await using server = await openReceiver(() => reply(200, {}, `{"id":${id},"petId":-${id},"quantity":1}`))
  const placed = await runAt(server.base, ['place-order', '--pet-id', id])
  const updated = await runAt(server.base, ['update-order', id, '--body', `{"petId":${id}}`])
  expect(placed.output).toBe(`{"id":${id},"petId":-${id},"quantity":1}\n`)
  expect(updated.exitCode).toBe(0)
  expect(server.received.map(({ path, body }) => [path, body.toString()])).toEqual([
    ['/store/orders', `{"petId":${id}}`],
    [`/store/orders/${id}`, `{"petId":${id}}`],
  ])
  const missing = await cli('get-order', '9223372036854775807')
  expect([missing.exitCode, missing.output]).toEqual([1, ''])
  expect(missing.errors).toContain('404 order_not_found: Order 9223372036854775807 does not exist.')
})

test('a command accepts a repeated option as a list, and null where a merge patch allows it', async () => {
  const two = await cli('list-pets', '--id', '1', '--id', '2')
  expect(JSON.parse(two.output).map(({ id }: { id: number }) => id)).toEqual([1, 2])
  const created = await cli('create-category', '--name', 'Null', '--description', 'gone soon')
  const { id } = JSON.parse(created.output)
  const updated = await cli('update-category', `${id}`, '--description', 'null')
  expect(JSON.parse(updated.output)).toEqual({ id, name: 'Null' })
  const empty = await cli('update-category', `${id}`, '--description', '')
  expect(JSON.parse(empty.output)).toEqual({ id, name: 'Null', description: '' })
})

test('a list that consists of null alone removes the list, and another list is sent as it is', async () => {
  const types = ['--types', 'petstore.pet.created', '--types', 'petstore.pet.deleted']
  const made = await cli('create-webhook', '--body-url', 'http://127.0.0.1:9/x', ...types)
  const created = JSON.parse(made.output)
  const given = [...types, '--types', 'petstore.pet.updated']
  const changed = JSON.parse((await cli('update-webhook', `${created.id}`, ...given)).output)
  const removed = JSON.parse((await cli('update-webhook', `${created.id}`, '--types', 'null')).output)
  expect([created.types.length, changed.types.length, removed.types]).toEqual([2, 3, undefined])
})

test('a command reads a body from its argument, from a file and from standard input', async () => {
  const file = join(directory, 'pet.json')
  writeFileSync(file, '{"name":"From a file","categoryId":1}')
  const texts = [
    await cli('create-pet', '--body', '{"name":"From an argument","categoryId":1}'),
    await cli('create-pet', '--body', `@${file}`),
    await runWithInput(store.base, ['create-pet', '--body', '-'], '{"name":"From the input","categoryId":1}'),
  ]
  expect(texts.map(({ output }) => JSON.parse(output).name)).toEqual([
    'From an argument',
    'From a file',
    'From the input',
  ])
  const large = await runWithInput(store.base, ['create-pet', '--body', '-'], ' '.repeat(1024 * 1024 + 1))
  expect([large.exitCode, large.errors.trim()]).toEqual([
    2,
    'The standard input (--body -) has more than 1048576 bytes, the most that a store accepts.',
  ])
})

test('a command goes on after a short page of a search, until it has a page or the list ends', async () => {
  for (let index = 0; index < 510; index++) {
    const name = `Zusammen ${index < 508 ? 'x' : 'y'}${index}`
    await store.client.createPet({ body: { name, categoryId: 1n } })
  }
  const { output, errors } = await cli(
    'list-pets',
    '--search',
    'zusammen y',
    '--output',
    'ndjson',
    '--limit',
    '1',
  )
  expect([output.trim().split('\n').length, errors]).toEqual([1, ''])
  expect(output).toContain('"Zusammen y')
  const nothing = await cli('list-pets', '--search', 'zusammen q', '--output', 'table')
  expect([nothing.output, nothing.errors]).toEqual(['', 'Nothing found.\n'])
})

test('a command prints CSV and NDJSON, and with --all every page', async () => {
  const all = await cli('list-categories', '--all', '--limit', '5', '--output', 'ndjson')
  const ids = all.output
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).id)
  const array = await cli('list-categories', '--all', '--limit', '5')
  expect(JSON.parse(array.output).map(({ id }: { id: number }) => id)).toEqual(ids)
  expect(ids.length).toBeGreaterThan(15)
  const created = await cli('create-category', '--name', 'a "b", c', '--output', 'csv')
  expect(created.output).toMatch(/^name,description,id\n"a ""b"", c",,\d+\n$/)
  const feed = await cli('list-events', '--all', '--after', '700', '--limit', '7')
  expect(JSON.parse(feed.output).length).toBeGreaterThan(14)
})

test('a response with one list is a table of that list, with its other members in each row', async () => {
  const totals = ['list-sales-totals', '--from', '2026-02-01', '--to', '2026-02-02', '--output']
  const { output } = await cli(...totals, 'csv')
  expect(output).toBe(
    'from,to,lines,units,amount,returnedUnits,returnedAmount,currency,timeZone\n' +
      '2026-02-01,2026-02-01,0,0,0,0,0,EUR,UTC\n2026-02-02,2026-02-02,0,0,0,0,0,EUR,UTC\n',
  )
  const table = (await cli(...totals, 'table')).output.split('\n').map(line => line.split(/ +/).slice(0, 3))
  expect(table.slice(0, 4)).toEqual([
    ...[
      ['currency:', 'EUR'],
      ['timeZone:', 'UTC'],
    ],
    ...[
      ['from', 'to', 'lines'],
      ['2026-02-01', '2026-02-01', '0'],
    ],
  ])
  const summary = await cli('get-store-summary', '--output', 'csv')
  const [head, ...days] = summary.output.trimEnd().split('\n')
  expect([head, days.length]).toEqual([expect.stringMatching(/^day,orders,amount,returnedAmount,pets,/), 30])
  expect(JSON.parse((await cli(...totals, 'json')).output).periods).toHaveLength(2)
})

test('a command prints the status and the headers with -i, and reports a deprecation on standard error', async () => {
  const { output, errors } = await cli('get-pet', '12', '-i')
  expect(output).toStartWith('HTTP 200\n')
  expect(output).toMatch(/^etag: "[\w-]{22}"$/m)
  expect(errors).toContain('get-pet is deprecated and works until 2027-12-31.')
  const etag = /^etag: "(.*)"$/m.exec(output)?.[1] ?? ''
  const again = await cli('get-pet', '12', '--if-none-match', etag)
  expect([again.exitCode, again.output]).toEqual([0, ''])
})

test('a command ends without an error when the program that reads its output has ended', async () => {
  const line = command(['list-pets', '--all', '--output', 'ndjson']).line.join(' ')
  const child = Bun.spawn(['bash', '-c', `set -o pipefail; ${line} | head -n 1`], {
    env: childEnvironment({ PETSTORE_URL: store.base }),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const output = await new Response(child.stdout).text()
  expect(await new Response(child.stderr).text()).toBe('')
  expect([await child.exited, output.split('\n').length]).toEqual([0, 2])
})

test('the command stream-events with --seconds ends with 0', async () => {
  const { exitCode, output, errors } = await cli('stream-events', '--after', '714', '--seconds', '1')
  expect([exitCode, errors]).toEqual([0, ''])
  expect(output.split('\n')[0]).toContain('petstore.')
})

test('the command stream-events prints one event per line, and exits with 130 after Ctrl-C', async () => {
  const child = Bun.spawn(command(['stream-events', '--after', '714']).line, {
    env: childEnvironment({ PETSTORE_URL: store.base, PETSTORE_KEY: ADMIN_KEY }),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const reader = child.stdout.getReader()
  let text = ''
  while (text.split('\n').length < 3) text += new TextDecoder().decode((await reader.read()).value)
  const [first = ''] = text.split('\n')
  expect(JSON.parse(first)).toMatchObject({ specversion: '1.0', sequence: '0000000000000000715' })
  child.kill('SIGINT')
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([130, ''])
})

test('on a terminal, a list is a table that fits, with the options for the next page', async () => {
  await store.client.createCategory({
    body: { name: '\u001b[31m日本語 red', description: 'x'.repeat(300) },
  })
  const { shown, exitCode } = await runOnTerminal(
    store.base,
    ['list-categories', '--sort=-id', '--limit', '2'],
    60,
  )
  const lines = shown.trimEnd().split('\n')
  expect([exitCode, shown.includes('\u001b')]).toEqual([0, false])
  expect(lines[0]).toMatch(/^id +name +description$/)
  expect(lines[1]).toContain('\\u001b[31m日本語 red')
  expect(lines.slice(0, 3).filter(line => Bun.stringWidth(line) > 60)).toEqual([])
  expect(lines.at(-1)).toMatch(/^More may follow: --all, or --cursor [\w-]+$/)
})

test('on a terminal, an object has one aligned line per member, and a new key is never truncated', async () => {
  const { shown } = await runOnTerminal(store.base, ['get-category', '1'], 40)
  const [id, name, description = ''] = shown.split('\n')
  expect([id, name, description.slice(0, 24)]).toEqual([
    'id:          1',
    'name:        Dogs',
    'description: Dogs over s',
  ])
  expect([Bun.stringWidth(description), description.at(-1)]).toEqual([40, '…'])
  const key = await runOnTerminal(store.base, ['create-key', '--name', 'x', '--scopes', 'orders:read'], 30)
  expect(key.shown).toMatch(/pst_[0-9A-Za-z]{49}\b/)
})

test('a refused command exits with 1, with the reason, the fields and the request id on standard error', async () => {
  const refused = await cli('place-order', '--pet-id', '1', '--quantity', '0', '--reference', '')
  expect([refused.exitCode, refused.output]).toEqual([1, ''])
  expect(refused.errors).toContain('422 validation_failed:')
  expect(refused.errors).toContain('  /quantity: quantity must be at least 1')
  expect(refused.errors).toContain('  /reference: ')
  expect(refused.errors).toMatch(/^Request id: \S+$/m)
  const json = await cli('get-order', '404', '--output', 'json')
  expect([json.exitCode, JSON.parse(json.output)]).toEqual([
    1,
    { code: 'order_not_found', message: 'Order 404 does not exist.', status: 404 },
  ])
  const anonymous = await run(['list-keys', '--url', store.base])
  expect([anonymous.exitCode, anonymous.errors]).toEqual([
    1,
    expect.stringContaining('Give a key with --key'),
  ])
})

test('a change that a fault of the store or of a proxy ended may have been made, and a read was not', async () => {
  const bodies = {
    internal_error: '{"code":"internal_error","message":"Broken."}',
    unknown: '<h1>Bad gateway</h1>',
  }
  for (const [code, body] of Object.entries(bodies)) {
    await using broken = Bun.serve({ port: 0, fetch: () => new Response(body, { status: 500 }) })
    const url = `http://127.0.0.1:${broken.port}`
    const change = await run(['delete-pet', '1', '--url', url])
    const read = await run(['get-pet', '1', '--url', url])
    const isUnknown = [change, read].map(({ errors }) =>
      errors.includes('It is unknown whether the change was made.'),
    )
    expect([code, change.exitCode, read.exitCode, ...isUnknown]).toEqual([code, 3, 3, true, false])
  }
})

test.each([
  [['list-pets', '--limit', '101'], 'It must be an integer from 1 to 100.'],
  [['get-pet', '9223372036854775808'], 'It must be a 64-bit integer.'],
  [['get-pet', '1.0'], 'It must be a 64-bit integer.'],
  [['get-pet'], "missing required argument 'pet-id'"],
  [['get-pet', '1', '2'], 'too many arguments'],
  [['list-pets', '--status', 'asleep'], 'It must be one of available, pending, sold.'],
  [['list-pets', '--limt', '3'], '(Did you mean --limit?)'],
  [['list-pets', '--limit', '3', '--limit', '4'], 'It may be given only once.'],
  [['update-order', '1', '--complete', 'yes'], 'It must be true or false.'],
  [
    ['update-order', '1'],
    'Specify what to change: --quantity, --ship-date, --complete, --reference, --unit-price, --body.',
  ],
  [['create-pet', '--name', 'x'], 'Specify --category-id.'],
  [['redeliver-failed', '1'], 'Specify --since.'],
  [['create-pet', '--name', 'x', '--body', '{}'], '--body gives the whole body: leave out --name.'],
  [['create-pet', '--body', '{"name":'], '--body: '],
  [['create-pet', '--body', '@/no/such/file'], 'The file /no/such/file cannot be read'],
  [
    ['update-webhook', '1', '--url', 'http://x'],
    'Use --body-url for the member url, or --store-url for the store.',
  ],
  [['lst-pets'], 'Did you mean list-pets?'],
  [['help', 'nothing-like-it'], 'There is no command or argument "nothing-like-it".'],
  [['list-pets', '--url', 'ftp://shop'], '--url must be an http or https URL'],
  [['list-pets', '--key', 'pst_short'], '--key must be a complete key'],
  [['list-pets', '--key', '@/no/such/file'], 'The file of --key cannot be read'],
  [['list-pets', '--timeout', '0'], 'It must be a number of seconds'],
])('a usage error makes the command exit with 2 and a short reason: %j', async (args, reason) => {
  const { exitCode, output, errors } = await run(args)
  expect([exitCode, output, errors.includes(reason) ? reason : errors]).toEqual([2, '', reason])
  expect(errors.trim().split('\n').length).toBeLessThanOrEqual(2)
})

test('a failed connection makes the command exit with 3, and say which address was tried', async () => {
  const url = `http://127.0.0.1:${await deadPort()}`
  const { exitCode, errors } = await run(['list-pets', '--url', url])
  expect([exitCode, errors.trim()]).toEqual([
    3,
    [
      `No store responds at ${url}: the connection was refused.`,
      'Start one with "petstore serve", or give its address with --url or PETSTORE_URL.',
    ].join(' '),
  ])
  const nowhere = await run(['list-pets', '--data', directory])
  expect([nowhere.exitCode, nowhere.errors]).toEqual([
    3,
    expect.stringContaining(`No store runs in ${directory}.`),
  ])
})

test('a list with --all continues after a page without items if another page follows', async () => {
  const link = (cursor: string): string => `</pets>; rel="first", </pets?cursor=${cursor}>; rel="next"`
  const pages = [
    reply(200, { link: link('a') }, '[{"id":1}]'),
    reply(200, { link: link('b') }, '[]'),
    reply(200, { link: '</pets>; rel="first"' }, '[{"id":2}]'),
  ]
  let sent = 0
  await using server = await openReceiver(() => pages[sent++] ?? reply(500))
  expect(await runHere(server.base, ['list-pets', '--all', '--output', 'ndjson'])).toBe(
    '{"id":1}\n{"id":2}\n',
  )
  sent = 0
  const csv = await runHere(server.base, ['list-pets', '--all', '--output', 'csv'])
  expect(csv.split('\n').map(line => line.startsWith('name,'))).toEqual([true, false, false, false])
})

test('the command stream-events ends with 3 if no store responds to its first request', async () => {
  const { exitCode, errors } = await run(['stream-events', '--url', `http://127.0.0.1:${await deadPort()}`])
  expect([exitCode, errors.includes('The next attempt')]).toEqual([3, false])
})
