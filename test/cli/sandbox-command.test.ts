import { afterAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { makeClient } from '../support/client.ts'
import { childEnvironment, command, type ProcessResult, runToEnd } from '../support/process.ts'
import { deadPort } from '../support/receiver.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { openTestStore } from '../support/store.ts'
import { scratch } from '../support/tool.ts'

const host = await openSandboxHost()
afterAll(() => host[Symbol.asyncDispose]())

/** A folder in which a person runs the command. */
interface Folder extends Disposable {
  readonly path: string
  /** Runs `petstore sandbox` with the host of the tests. */
  sandbox(...args: string[]): Promise<ProcessResult>
  /** Runs `petstore sandbox` with these environment variables. */
  sandboxWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<ProcessResult>
  /** Returns the rows of a list of sandboxes in the folder. */
  saved(file?: string): Record<string, string>[]
}

function folder(): Folder {
  const place = scratch()
  const sandboxWith: Folder['sandboxWith'] = (env, ...args) =>
    runToEnd(command(['sandbox', ...args]).line, childEnvironment(env), place.path)
  return {
    path: place.path,
    sandboxWith,
    sandbox: (...args) => sandboxWith({ PETSTORE_SANDBOXES: host.base }, ...args),
    saved: (file = 'sandboxes.csv') => rowsOf(readFileSync(join(place.path, file), 'utf8')),
    [Symbol.dispose]: () => place[Symbol.dispose](),
  }
}

function rowsOf(csv: string): Record<string, string>[] {
  return parse(csv, { columns: true })
}

/** Returns the values of these columns in each row that `petstore sandbox list` prints. */
async function listed(at: Folder, ...columns: string[]): Promise<(string | undefined)[][]> {
  const { output } = await at.sandbox('list')
  return rowsOf(output).map(row => columns.map(name => row[name]))
}

test('sandboxes for a class are printed as CSV, and saved in a file that only its owner can read', async () => {
  using at = folder()
  const created = await at.sandbox('create', '--count', '3', '--label', 'Student', '--lifetime', '3d')
  const rows = rowsOf(created.output)
  expect(rows.map(({ label }) => label)).toEqual(['Student 1', 'Student 2', 'Student 3'])
  expect([created.exitCode, created.errors]).toEqual([
    0,
    `Created 3 sandboxes, valid until ${rows[0]?.expiresAt}. The addresses and keys are in sandboxes.csv.\n`,
  ])
  expect(at.saved()).toEqual(rows)
  expect(statSync(join(at.path, 'sandboxes.csv')).mode & 0o777).toBe(0o600)
  const days = (Date.parse(rows[0]?.expiresAt ?? '') - Date.now()) / 86_400_000
  expect(days).toBeCloseTo(3, 2)
  for (const { address = '', key = '', id, console, print } of rows) {
    const { data } = await makeClient({ base: address, key }).getCurrentKey({})
    expect(data.scopes).toEqual(['admin'])
    expect([console, print]).toEqual([
      `${address}/console#key=${key}`,
      `${host.base}/sandboxes/${id}/print#key=${key}`,
    ])
  }
})

test('print writes a card for each saved sandbox to a new file that only its owner can read', async () => {
  using at = folder()
  await at.sandbox('create', '--count', '2', '--label', '=Ada', '--save', 'class.csv')
  const list = ['print', '--saved', 'class.csv']
  const printed = await at.sandbox(...list, '--to', 'class.html')
  const file = join(at.path, 'class.html')
  expect([printed.exitCode, printed.errors]).toEqual([
    0,
    'class.html has 2 cards: open it in a browser, and print it.\n',
  ])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const page = readFileSync(file, 'utf8')
  for (const { id = '' } of at.saved('class.csv')) expect(page).toContain(id)
  expect([...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title)).toEqual(['=Ada 1', '=Ada 2'])
  // Everything is in the page: it loads and links to nothing, except for the icon that it contains.
  expect([...page.matchAll(/(?:href|src)="(?!data:)|url\(|@import/g)]).toEqual([])
  const again = await at.sandbox(...list, '--to', 'class.csv')
  expect([again.exitCode, again.errors]).toEqual([
    2,
    'class.csv cannot be written: it exists already. --to names another file.\n',
  ])
  expect(at.saved('class.csv')).toHaveLength(2)
  await at.sandbox('delete', '--all', '--yes', '--saved', 'class.csv')
  const empty = await at.sandbox(...list)
  expect([empty.exitCode, empty.errors]).toEqual([1, 'class.csv has no sandboxes.\n'])
})

test('later sandboxes are appended to the list, and --names labels each with a line of a file', async () => {
  using at = folder()
  writeFileSync(
    join(at.path, 'class.txt'),
    '\ufeffAda Lovelace\r\n\r\n  Grace "Amazing" Hopper, Rear Admiral \n',
  )
  expect((await at.sandbox('create', '--seed', 'empty')).exitCode).toBe(0)
  const second = await at.sandbox('create', '--names', 'class.txt', '--format', 'json')
  const labels = ['Ada Lovelace', 'Grace "Amazing" Hopper, Rear Admiral']
  const printed: { label: string; id: string }[] = JSON.parse(second.output)
  expect(printed.map(({ label }) => label)).toEqual(labels)
  expect(at.saved().map(({ label }) => label)).toEqual(['', ...labels])
  expect(await listed(at, 'state', 'generation', 'label')).toEqual(
    ['', ...labels].map(label => ['ready', '1', label]),
  )
})

test('the labels of --names may be in a table of a spreadsheet, in UTF-16, or lines with quotes', async () => {
  using at = folder()
  const files: Readonly<Record<string, string>> = {
    'table.txt': 'Nr\tName\tClass\r\n1\tZoë "Z" K.\t7b\r\n2\t"Müller, Ida"\t7b\r\n\t\t\r\n',
    'lines.csv': '"Müller, Ida";;\r\nO"Neil\r\n;;\r\n',
  }
  const labels = []
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(at.path, name), Buffer.from(`\ufeff${text}`, 'utf16le'))
    const { output } = await at.sandbox('create', '--names', name, '--save', `${name}.list`)
    labels.push(...rowsOf(output).map(({ label }) => label))
  }
  expect(labels).toEqual(['Zoë "Z" K.', 'Müller, Ida', 'Müller, Ida', 'O"Neil'])
})

test('a list that a spreadsheet has saved is read and extended, and a label is found in any Unicode form', async () => {
  using at = folder()
  const label = 'Zoe\u0308'
  await at.sandbox('create', '--label', label)
  const [first = {}] = at.saved()
  const cells = ['id', 'label', 'key', 'address'].map(name => first[name])
  const rows = `Id;Label;KEY;Address;\r\n${cells.join(' ;')};\r\n;;;;\r\n`
  writeFileSync(join(at.path, 'sandboxes.csv'), Buffer.from(`\ufeff${rows}`, 'utf16le'))
  expect(await listed(at, 'label', 'state')).toEqual([[label, 'ready']])
  const second = await at.sandbox('create', '--label', label.normalize('NFC'))
  expect(second.errors).toStartWith(
    `sandboxes.csv already has a sandbox with the label "${label.normalize('NFC')}": this one is added. ` +
      'Use --save for another list.\n',
  )
  expect(at.saved().map(saved => saved.label?.trim())).toEqual([label, label.normalize('NFC')])
  expect((await at.sandbox('reset', first.id ?? '')).errors).toBe('Reset 1 sandbox.\n')
  const several = await at.sandbox('reset', 'Zo\u00eb')
  expect(several.errors).toStartWith('2 sandboxes have the label')
})

test('a sandbox is created from a snapshot of another sandbox only with the key of that sandbox', async () => {
  using at = folder()
  const [{ id = '', key = '' } = {}] = rowsOf((await at.sandbox('create')).output)
  const snapshot = await fetch(`${host.base}/sandboxes/${id}/snapshots/lesson-1`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${key}` },
  })
  expect(snapshot.status).toBe(200)
  writeFileSync(join(at.path, 'teacher-key'), `${key}\n`)
  const seed = ['create', '--seed', `${id}/lesson-1`]
  expect((await at.sandbox(...seed, '--key', '@teacher-key')).exitCode).toBe(0)
  expect((await at.sandbox(...seed)).errors).toStartWith('A seed that is a snapshot needs the key')
  const wrong = await at.sandbox(...seed, '--key', `pst_${'0'.repeat(49)}`)
  expect([wrong.exitCode, wrong.output]).toEqual([2, ''])
  const other = rowsOf((await at.sandbox('create')).output)[0]?.key ?? ''
  const refused = await at.sandbox(...seed, '--key', other)
  expect([refused.exitCode, refused.errors]).toEqual([
    1,
    '401 invalid_token: The key does not belong to this sandbox.\nThe key came from --key.\n',
  ])
})

test('reset accepts the start of an id, or --all, and reports each sandbox that lacks the given snapshot', async () => {
  using at = folder()
  await at.sandbox('create', '--count', '2', '--label', 'S')
  const [first, second] = at.saved()
  const [id = '', other = ''] = [first?.id, second?.id]
  const reset = await at.sandbox('reset', id.slice(0, 12))
  expect([reset.exitCode, reset.errors]).toEqual([0, 'Reset 1 sandbox.\n'])
  expect(await listed(at, 'id', 'generation')).toEqual([
    [id, '2'],
    [other, '1'],
  ])
  await host.host.takeSnapshot(other, 'lesson-1')
  const all = await at.sandbox('reset', '--all', '--snapshot', 'lesson-1')
  expect([all.exitCode, all.errors]).toEqual([
    1,
    [
      'Reset 1 sandbox to lesson-1.',
      `${id} (S 1) was not reset: 404 snapshot_not_found: This sandbox has no snapshot "lesson-1".\n`,
    ].join('\n'),
  ])
  expect(await listed(at, 'generation')).toEqual([['2'], ['2']])
  expect((await at.sandbox('reset')).errors).toStartWith('Give the ids of sandboxes, or --all')
  expect((await at.sandbox('reset', 'zzz')).errors).toBe(
    'No sandbox in sandboxes.csv has the label "zzz", or an id that begins with it.\n',
  )
})

test('delete refuses the start of an id that two ids have in common', async () => {
  using at = folder()
  const address = (id: string): string => `${host.base}/s/${id}`
  const ids = [`${'a'.repeat(25)}2`, `${'a'.repeat(25)}3`]
  await at.sandbox('create')
  const key = at.saved()[0]?.key
  const lines = ids.map(id => `${address(id)},${key},${id}`)
  writeFileSync(join(at.path, 'two.csv'), ['address,key,id', ...lines, ''].join('\n'))
  const { exitCode, errors } = await at.sandbox('delete', 'aaa', '--yes', '--saved', 'two.csv')
  expect([exitCode, errors]).toEqual([
    2,
    '2 sandboxes have the label "aaa", or an id that begins with it: give more of the id.\n',
  ])
})

test('delete removes sandboxes from the list, even one that has expired or was already deleted', async () => {
  using at = folder()
  await at.sandbox('create', '--count', '3', '--label', 'S')
  const [first, second, third] = at.saved()
  const refused = await at.sandbox('delete', '--all')
  expect([refused.exitCode, refused.errors]).toEqual([
    2,
    'This deletes 3 sandboxes with all data and snapshots.\nNothing was deleted: without a terminal, confirm with --yes.\n',
  ])
  expect(at.saved().length).toBe(3)
  await host.host.delete(second?.id ?? '')
  expect(await listed(at, 'state', 'label')).toEqual([
    ['ready', 'S 1'],
    ['expired or deleted', 'S 2'],
    ['ready', 'S 3'],
  ])
  const gone = await at.sandbox('reset', second?.id ?? '')
  expect([gone.exitCode, gone.errors]).toEqual([
    1,
    `Reset 0 sandboxes.\n${second?.id} (S 2) was not reset: expired or deleted.\n`,
  ])
  expect((await at.sandbox('delete', first?.id ?? '', second?.id ?? '', '--yes')).exitCode).toBe(0)
  expect(at.saved()).toEqual(third ? [third] : [])
  expect([host.host.find(first?.id ?? ''), host.host.find(third?.id ?? '')?.id]).toEqual([
    undefined,
    third?.id,
  ])
  expect(statSync(join(at.path, 'sandboxes.csv')).mode & 0o777).toBe(0o600)
})

test('create and delete keep the columns of a list that a spreadsheet has changed', async () => {
  using at = folder()
  await at.sandbox('create', '--count', '2', '--label', 'S')
  const [first, second] = at.saved()
  const rows = [first, second].map(one => `passed,${one?.key},${one?.id},${one?.address}`)
  const file = join(at.path, 'sandboxes.csv')
  writeFileSync(file, ['grade,key,id,address', ...rows, ''].join('\n'))
  expect((await at.sandbox('create', '--label', 'New')).exitCode).toBe(0)
  const added = at.saved().at(-1)
  expect(host.host.find(added?.id ?? '')?.id).toBe(added?.id ?? '')
  expect((await at.sandbox('delete', first?.id ?? '', '--yes')).exitCode).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(
    ['grade,key,id,address', rows[1], `,${added?.key},${added?.id},${added?.address}`, ''].join('\n'),
  )
})

/** Runs `petstore sandbox` on a terminal, and types a line when it asks to confirm. Returns what the terminal shows. */
async function onTerminal(at: Folder, args: readonly string[], typed: string): Promise<string> {
  let shown = ''
  const child = Bun.spawn(command(['sandbox', ...args]).line, {
    cwd: at.path,
    env: childEnvironment({ PETSTORE_SANDBOXES: host.base, TERM: 'xterm' }),
    timeout: 30_000,
    terminal: {
      cols: 60,
      rows: 24,
      data: (terminal, data) => {
        const isAsked = shown.includes('to continue')
        shown += Buffer.from(data).toString()
        if (!isAsked && shown.includes('to continue')) terminal.write(`${typed}\n`)
      },
    },
  })
  await child.exited
  child.terminal?.close()
  return shown.replaceAll('\r\n', '\n')
}

test('on a terminal, keys are not truncated, and a deletion needs the word delete as a confirmation', async () => {
  using at = folder()
  const created = await onTerminal(at, ['create', '--count', '2', '--label', 'S'], '')
  for (const { address = '', key = '' } of at.saved()) expect(created).toContain(`${address}  ${key}\n`)
  const single = await onTerminal(at, ['create'], '')
  expect(single).toContain(`key:       ${at.saved()[2]?.key}\n`)
  expect(await onTerminal(at, ['list'], '')).toMatch(/^id +state +generation/)
  expect(await onTerminal(at, ['delete', '--all'], 'no')).toContain('Nothing was deleted.')
  expect(at.saved().length).toBe(3)
  expect(await onTerminal(at, ['delete', '--all'], 'delete')).toContain('Deleted 3 sandboxes.')
  expect(at.saved()).toEqual([])
})

test('sandboxes created before a failure are printed and saved, and the error says how many are missing', async () => {
  using at = folder()
  await using small = await openSandboxHost({ limits: { sandboxes: 2 } })
  const ended = await at.sandbox('create', '--count', '5', '--host-url', small.base)
  expect([ended.exitCode, rowsOf(ended.output).length]).toEqual([3, 2])
  expect(at.saved()).toEqual(rowsOf(ended.output))
  expect(ended.errors).toContain('503 overloaded: This host has reached its limit of 2 sandboxes')
  expect(ended.errors).toEndWith(
    '2 of 5 sandboxes were created; 3 are missing. The addresses and keys are in sandboxes.csv.\n',
  )
})

test('an address without a host of sandboxes is refused with a hint', async () => {
  using at = folder()
  const port = await deadPort()
  const none = await at.sandbox('create', '--host-url', `http://127.0.0.1:${port}`)
  expect([none.exitCode, none.output, existsSync(join(at.path, 'sandboxes.csv'))]).toEqual([3, '', false])
  expect(none.errors).toBe(
    `No host of sandboxes responds at http://127.0.0.1:${port}: the connection was refused. ` +
      'Start one with "petstore sandboxes", or give its address with --host-url or PETSTORE_SANDBOXES.\n',
  )
  await using store = await openTestStore('sqlite')
  const shop = await at.sandboxWith({ PETSTORE_SANDBOXES: store.base }, 'create')
  expect([shop.exitCode, shop.output]).toEqual([1, ''])
  expect(shop.errors).toStartWith(
    `${store.base} is not a host of sandboxes: it may be a store, or one sandbox.`,
  )
  const [{ address = '' } = {}] = rowsOf((await at.sandbox('create')).output)
  const sandbox = await at.sandbox('create', '--host-url', address)
  expect([sandbox.exitCode, sandbox.errors.startsWith(`${address} is not a host of sandboxes`)]).toEqual([
    1,
    true,
  ])
  expect((await at.sandbox('create', '--host-url', '127.0.0.1:8081')).exitCode).toBe(2)
})

test('a wrong key in the list is reported, and so is a file that is not a list', async () => {
  using at = folder()
  await at.sandbox('create', '--count', '2')
  const [first, second] = at.saved()
  const path = join(at.path, 'sandboxes.csv')
  const text = readFileSync(path, 'utf8').replaceAll(first?.key ?? '', second?.key ?? '')
  writeFileSync(path, text)
  const wrong = await at.sandbox('list')
  const problem = '401 invalid_token: The key does not belong to this sandbox.'
  expect([wrong.exitCode, wrong.errors]).toEqual([
    1,
    `${first?.id}: ${problem}\nThe key came from sandboxes.csv.\n`,
  ])
  expect(rowsOf(wrong.output).map(({ id, state }) => [id, state])).toEqual([
    [first?.id, problem],
    [second?.id, 'ready'],
  ])
  expect((await at.sandbox('list', '--saved', 'other.csv')).errors).toStartWith(
    `The list ${join(at.path, 'other.csv')} cannot be read: there is no such file.`,
  )
  const before = host.host.counts.sandboxes
  writeFileSync(join(at.path, 'pets.csv'), 'id,name\n3,Rex\n')
  const pets = await at.sandbox('create', '--save', 'pets.csv')
  expect([pets.exitCode, pets.errors]).toEqual([
    2,
    'pets.csv is not a list of sandboxes: it has no column address. --save and --saved name another file.\n',
  ])
  expect((await at.sandbox('create', '--save', 'no/such/folder.csv')).exitCode).toBe(2)
  expect(host.host.counts.sandboxes).toBe(before)
})

const wrong: [args: string[], says: string][] = [
  [
    ['--count', '0'],
    "error: option '--count <number>' argument '0' is invalid. It must be a number from 1 to 500.",
  ],
  [['--count', '501'], "error: option '--count <number>' argument '501' is invalid."],
  [
    ['--lifetime', '8d'],
    "error: option '--lifetime <time>' argument '8d' is invalid. It must be from 1m to 7d",
  ],
  [
    ['--seed', 'dmeo'],
    '--seed must be demo, empty, large, or the snapshot of a sandbox as {sandboxId}/{name}.',
  ],
  [['--label', 'x'.repeat(101)], 'A label has at most 100 characters: xxx'],
  [['--names', 'none.txt'], 'none.txt of --names cannot be read: ENOENT'],
  [['--names', 'empty.txt'], 'empty.txt has no name; it must have 1 to 500, one per line.'],
  [
    ['--names', 'empty.txt', '--count', '2'],
    '--names has one label per line: leave out --count and --label.',
  ],
  [['--key', `pst_${'0'.repeat(49)}`], '--key is only for a seed that is a snapshot.'],
]
test.each(wrong)('petstore sandbox create %p is refused before anything is created', async (args, says) => {
  using at = folder()
  writeFileSync(join(at.path, 'empty.txt'), '\n \n')
  const before = host.host.counts.sandboxes
  const ended = await at.sandbox('create', ...args)
  expect([ended.exitCode, ended.output, ended.errors]).toEqual([2, '', expect.stringContaining(says)])
  expect(host.host.counts.sandboxes).toBe(before)
  expect(existsSync(join(at.path, 'sandboxes.csv'))).toBe(false)
})

test('no label in a CSV list is a formula or control sequence, and only the owner can read the file', async () => {
  using at = folder()
  writeFileSync(join(at.path, 'class.txt'), '=HYPERLINK("http://evil.example")\n+1\nAda\n')
  writeFileSync(join(at.path, 'class.csv'), '', { mode: 0o644 })
  const created = await at.sandbox('create', '--names', 'class.txt', '--save', 'class.csv')
  const labels = ['\'=HYPERLINK("http://evil.example")', "'+1", 'Ada']
  expect(rowsOf(created.output).map(({ label }) => label)).toEqual(labels)
  expect(at.saved('class.csv').map(({ label }) => label)).toEqual(labels)
  expect(statSync(join(at.path, 'class.csv')).mode & 0o777).toBe(0o600)
  const [{ id = '', key = '' } = {}] = at.saved('class.csv')
  await fetch(`${host.base}/sandboxes/${id}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ label: '@SUM(1)\u001b[2J' }),
  })
  const { output } = await at.sandbox('list', '--saved', 'class.csv')
  expect(rowsOf(output)[0]?.label).toBe("'@SUM(1)\\u001b[2J")
})

test('a sandbox is reset by its label, and the error for a missing snapshot says how to restore the seed', async () => {
  using at = folder()
  const teacher = await host.create({ seed: 'empty' })
  await teacher.callHost('PUT', '/snapshots/start')
  const { id, adminKey } = teacher.created
  await at.sandbox('create', '--count', '2', '--label', 'Ada', '--seed', `${id}/start`, '--key', adminKey)
  const reset = await at.sandbox('reset', 'Ada 1')
  expect([reset.exitCode, reset.errors]).toEqual([0, 'Reset 1 sandbox.\n'])
  const toSnapshot = await at.sandbox('reset', 'Ada 2', '--snapshot', 'start')
  expect(toSnapshot.errors).toContain(
    'Its seed is a snapshot with this name in another sandbox. To restore the seed, reset without a snapshot name.',
  )
})

test('a deletion that fails at one sandbox removes the deleted ones from the list, and keeps the others', async () => {
  using at = folder()
  await at.sandbox('create', '--count', '3', '--label', 'Student', '--seed', 'empty')
  const [first, second, third] = at.saved()
  const file = join(at.path, 'sandboxes.csv')
  // The key of the first one is not valid for the second one.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(second?.key ?? '', first?.key ?? ''))
  const { exitCode, errors } = await at.sandbox('delete', '--all', '--yes')
  expect([exitCode === 0, errors]).toEqual([false, expect.stringContaining('Deleted 1 sandbox.')])
  expect(at.saved().map(({ id }) => id)).toEqual([second?.id, third?.id].map(String))
})
