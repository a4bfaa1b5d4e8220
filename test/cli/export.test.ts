import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { exportedResources } from '../../src/transfer/exports.ts'
import { parseJson } from '../../src/values/json.ts'
import { useShop } from '../support/busy-shop.ts'
import { runOnTerminal } from '../support/command-line.ts'
import { newCopyPlace } from '../support/copy-place.ts'
import { childEnvironment, command, type ProcessResult, run } from '../support/process.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'

const ODD_NAME = 'Ada, "the \u00e9"\nline = 2'

async function exportOf(place: StoreDirectory, ...args: string[]): Promise<ProcessResult> {
  return run(['export', ...args, '--data', place.directory], place.env)
}

function rowsOf({ output }: ProcessResult): Record<string, unknown>[] {
  return (
    output
      .trim()
      .split('\n')
      .filter(line => line !== '')
      // Safe: each line is an object.
      .map(line => parseJson(line) as Record<string, unknown>)
  )
}

onEveryEngine(engine => {
  test('the export of a busy store has every row of a resource once, with the values of the API', async () => {
    await using place = await newStoreDirectory(engine)
    await using server = await place.start()
    const client = place.client(server)
    // The shop gets more rows than one read of the export returns. It has many writers, because on PostgreSQL each
    // commit waits for the disk.
    await useShop(client, 16, 1100, 1)
    await client.createWebhook({ body: { url: 'http://127.0.0.1:1/', types: ['petstore.pet.created'] } })
    const { data: category } = await client.createCategory({ body: { name: ODD_NAME } })
    const pets = rowsOf(await exportOf(place, 'pets', '--format', 'ndjson'))
    const listed = (await client.listPets({ include: 'stock', limit: 100 })).data.items
    expect(
      pets.map(({ id, name, status, quantity, reserved }) => ({ id, name, status, quantity, reserved })),
    ).toEqual(
      listed.map(({ id, name, status, quantity, reserved }) => ({ id, name, status, quantity, reserved })),
    )
    const orders = rowsOf(await exportOf(place, 'orders', '--format', 'ndjson'))
    expect(orders.length).toBeGreaterThan(200)
    const { data: order } = await client.getOrder({ orderId: BigInt(String(orders.at(-1)?.id)) })
    expect(orders.at(-1)).toMatchObject({ ...order })
    for (const [resource, table] of [
      ['movements', 'movement'],
      ['sales', 'sale_line'],
      ['events', 'event WHERE position IS NOT NULL'],
      ['keys', 'api_key'],
      ['webhooks', 'webhook'],
    ] as const) {
      const rows = rowsOf(await exportOf(place, resource, '--format', 'ndjson'))
      const [counted] = await place.database(`SELECT count(*) AS count FROM ${table}`)
      const ids = new Set(rows.map(({ id }) => id))
      expect([resource, String(rows.length), ids.size]).toEqual([
        resource,
        String(counted?.count),
        rows.length,
      ])
    }
    const categories = parse((await exportOf(place, 'categories')).output, { columns: true }) as Record<
      string,
      string
    >[]
    expect(categories.find(({ id }) => id === String(category.id))?.name).toBe(ODD_NAME)
    await server.kill('SIGTERM')
  })
})

test('no export contains a key, the hash of a key or a secret', async () => {
  await using place = await newStoreDirectory('sqlite')
  await using server = await place.start()
  const client = place.client(server)
  const { data: webhook } = await client.createWebhook({ body: { url: 'http://127.0.0.1:1/' } })
  const { data: key } = await client.createKey({ body: { name: 'till', scopes: ['orders:read'] } })
  await client.rotateWebhookSecret({ webhookId: webhook.id })
  const hashes = await place.database('SELECT hash FROM api_key')
  const secrets = await place.database('SELECT secret FROM webhook')
  const texts = [...hashes, ...secrets].map(row => String(row.hash ?? row.secret))
  for (const resource of exportedResources) {
    const { exitCode, output } = await exportOf(place, resource, '--format', 'ndjson')
    expect([resource, exitCode]).toEqual([resource, 0])
    for (const text of [...texts, webhook.secret, key.key, ADMIN_KEY]) expect(output).not.toContain(text)
  }
  await server.kill('SIGTERM')
})

const COLUMNS = 'name,category,quantity,hold,reorderAt'

test('exported pets and categories can be imported into another store', async () => {
  await using place = await newStoreDirectory('sqlite')
  await place.use(async client => {
    await useShop(client, 1, 100, 1)
    const { data } = await client.createCategory({ body: { name: ODD_NAME, description: 'a; b' } })
    const { data: pet } = await client.createPet({
      body: { name: ODD_NAME, categoryId: data.id, status: 'pending' },
    })
    await client.setInventory({ petId: pet.id, body: { quantity: 1n, reorderAt: 3n } })
  })
  using target = await newCopyPlace('sqlite')
  mkdirSync(target.directory)
  const files = { categories: join(place.directory, 'c.csv'), pets: join(place.directory, 'p.csv') }
  await exportOf(place, 'categories', '--columns', 'name,description', '--output', files.categories)
  await exportOf(place, 'pets', '--columns', COLUMNS, '--output', files.pets)
  expect([statSync(files.pets).mode & 0o777, readFileSync(files.pets, 'utf8').split('\n')[0]]).toEqual([
    0o600,
    COLUMNS,
  ])
  const imported = await run([
    ...['import', '--categories', files.categories, '--pets', files.pets],
    ...['--data', target.directory],
  ])
  expect([imported.exitCode, imported.errors]).toEqual([0, expect.stringContaining('Loaded ')])
  const stock = 'SELECT name, quantity, on_hold, reorder_at FROM pet ORDER BY id'
  expect(await target.database(stock)).toEqual(await place.database(stock))
})

test('an export for a spreadsheet has a mark and no formula, and an import of it has the same names', async () => {
  await using place = await newStoreDirectory('sqlite')
  const names = ['=1+1', "'=x", '-5', '+a', '@b', "'tis", 'Zo\u00eb']
  await place.use(async client => {
    const { data } = await client.createCategory({ body: { name: '=Dogs' } })
    for (const name of names) await client.createPet({ body: { name, categoryId: data.id } })
  })
  const file = join(place.directory, 'p.csv')
  const spreadsheet = ['--bom', '--escape-formulas']
  await exportOf(place, 'pets', '--columns', 'id,name,category', ...spreadsheet, '--output', file)
  expect(readFileSync(file, 'utf8').split('\n').slice(0, 4)).toEqual([
    '\ufeffid,name,category',
    "1,'=1+1,'=Dogs",
    "2,''=x,'=Dogs",
    "3,'-5,'=Dogs",
  ])
  using target = await newCopyPlace('sqlite')
  mkdirSync(target.directory)
  const args = ['--create-categories', '--data', target.directory]
  expect((await run(['import', '--pets', file, ...args])).errors).toContain('Loaded 1 category and 7 pets.')
  const stored = await target.database('SELECT name FROM pet ORDER BY id')
  expect(stored.map(({ name }) => name)).toEqual(names)
  await place.use(async client => {
    const { data } = await client.listPets({ name: '=1+1' })
    const id = data.items[0]?.id ?? 0n
    const { data: sale } = await client.recordSale({ body: { lines: [{ petId: id, unitPrice: 5n }] } })
    await client.returnSale({ receipt: sale.receipt, body: { note: '=2' } })
  })
  const sales = await exportOf(place, 'sales', '--escape-formulas', '--columns', 'petId,note,amount')
  expect(sales.output).toBe(`petId,note,amount\n1,,0.05\n1,'=2,-0.05\n`)
  for (const [days, lines] of [
    [['--from', '2026-01-01', '--to', '9999-12-31'], 3],
    [['--to', '2026-01-01'], 1],
  ] as const) {
    const { output, errors } = await exportOf(place, 'sales', ...days)
    expect([days, output.trim().split('\n').length]).toEqual([days, lines])
    expect(errors).toContain('The days are those of UTC (PETSTORE_TIME_ZONE).')
  }
  for (const [resource, days, message] of [
    [
      'sales',
      ['--from', '2026-02-30'],
      '--from=2026-02-30: it must be a date that exists, such as 2026-11-21.',
    ],
    ['sales', ['--from', '2026-02-02', '--to', '2026-02-01'], '--to must not be before --from.'],
    ['pets', ['--to', '2026-02-01'], '--from and --to are for sales.'],
  ] as const) {
    const { exitCode, errors } = await exportOf(place, resource, ...days)
    expect([exitCode, errors.trim()]).toEqual([2, message])
  }
  const movements = await exportOf(place, 'movements', '--columns', 'id,quantityChange', '--escape-formulas')
  expect(movements.output).not.toContain("'")
  const refused = await exportOf(place, 'pets', '--bom', '--format', 'ndjson')
  expect([refused.exitCode, refused.errors.trim()]).toEqual([
    2,
    '--bom and --escape-formulas are for CSV: leave out --format ndjson.',
  ])
})

test('a name that begins with apostrophes before a formula is the same after an export without escapes', async () => {
  await using place = await newStoreDirectory('sqlite')
  const names = ["'=x", "''=x", "''", "'tis", '=1+1', '="0041"']
  await place.use(async client => {
    const { data } = await client.createCategory({ body: { name: "'=Dogs" } })
    for (const name of names) await client.createPet({ body: { name, categoryId: data.id } })
  })
  const file = join(place.directory, 'p.csv')
  await exportOf(place, 'pets', '--columns', 'name,category', '--output', file)
  expect(readFileSync(file, 'utf8')).toContain('\n=1+1,')
  using target = await newCopyPlace('sqlite')
  mkdirSync(target.directory)
  await run(['import', '--pets', file, '--create-categories', '--data', target.directory])
  const stored = await target.database('SELECT name FROM pet ORDER BY id')
  expect(stored.map(({ name }) => name)).toEqual(names)
  expect(await target.database('SELECT name FROM category')).toEqual([{ name: "'=Dogs" }])
})

test('no name can control a terminal, and a pipe gets it unchanged', async () => {
  await using place = await newStoreDirectory('sqlite')
  const name = 'Rex\u001b]0;owned\u0007\u009b31m\u202e'
  await using server = await place.start()
  const client = place.client(server)
  const { data } = await client.createCategory({ body: { name: 'Dogs' } })
  await client.createPet({ body: { name, categoryId: data.id } })
  const commands = [
    ['export', 'pets', '--data', place.directory],
    ['export', 'pets', '--format', 'ndjson', '--data', place.directory],
    ['audit', 'export', '--data', place.directory],
    ...['csv', 'ndjson', 'json', 'table'].map(format => ['list-pets', '--output', format]),
  ]
  for (const args of commands) {
    const { shown } = await runOnTerminal(server.base, args, 120)
    expect([args, shown.includes('\\u001b]0;owned')]).toEqual([args, true])
    expect([args, /[\p{Cc}\u202e]/u.test(shown.replaceAll('\n', ''))]).toEqual([args, false])
  }
  expect((await exportOf(place, 'pets')).output).toContain(name)
  const { errors } = await run(['export', 'pets', '--data', `${place.directory}/\u001b[31m`])
  expect([errors.includes('\\u001b[31m'), errors.includes('\u001b')]).toEqual([true, false])
  await server.kill('SIGTERM')
})

test('unknown resources and columns, and an existing file are refused', async () => {
  await using place = await newStoreDirectory('sqlite')
  await place.use()
  const existing = join(place.directory, 'existing.csv')
  writeFileSync(existing, 'mine')
  const absent = join(place.directory, 'absent')
  const cases: [args: string[], exitCode: number, message: string][] = [
    [['petz'], 2, 'There is no resource petz to export. Did you mean pets?'],
    [['x'], 2, 'The resources are categories, pets,'],
    [['pets', '--columns', 'name,colour'], 2, 'pets has no column "colour". Its columns are id, name,'],
    [['pets', '--format', 'xml'], 2, 'Allowed choices are csv, ndjson'],
    [['pets', '--output', existing], 1, `${existing} exists: specify another file with --output.`],
    [['pets', '--output', join(absent, 'x.csv')], 1, 'cannot be written: ENOENT'],
  ]
  for (const [args, exitCode, message] of cases) {
    const result = await exportOf(place, ...args)
    expect([args, result.exitCode, result.errors, result.output]).toEqual([
      args,
      exitCode,
      expect.stringContaining(message),
      '',
    ])
  }
  expect(readFileSync(existing, 'utf8')).toBe('mine')
})

test('an export to a closed pipe ends without an error, and an interrupted export leaves no file', async () => {
  await using place = await newStoreDirectory('sqlite')
  await place.use(client => useShop(client, 2, 300, 1))
  await place.database(`INSERT INTO category (id, name, name_key, pet_count, version, created_at, updated_at)
    WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 400000)
    SELECT i, 'Category ' || i, 'category ' || i, 0, 1, '2026-11-22T00:00:00.000Z', '2026-11-22T00:00:00.000Z'
    FROM n RETURNING 1`)
  const { line, env } = command(['export', 'categories', '--data', place.directory])
  const piped = Bun.spawn(line, {
    env: childEnvironment(env),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const stdout = piped.stdout.getReader()
  await stdout.read()
  await stdout.cancel()
  expect([await piped.exited, await new Response(piped.stderr).text()]).toEqual([0, ''])
  const file = join(place.directory, 'out.csv')
  const toFile = Bun.spawn([...line, '--output', file], {
    env: childEnvironment(env),
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  while (!readdirSync(place.directory).some(name => name.endsWith('.petstore-draft'))) await Bun.sleep(2)
  toFile.kill('SIGINT')
  expect([await toFile.exited, await new Response(toFile.stderr).text()]).toEqual([
    130,
    'Interrupted. No file was written.\n',
  ])
  expect(readdirSync(place.directory).filter(name => name.startsWith('out.csv'))).toEqual([])
})

test('an exported file can be read by its owner only, and NDJSON has members without a value', async () => {
  await using place = await newStoreDirectory('sqlite')
  const categories = join(place.directory, 'categories.csv')
  writeFileSync(categories, 'name\nDogs\n')
  await run(['import', '--categories', categories, '--data', place.directory], place.env)
  const file = join(place.directory, 'categories.ndjson')
  const columns = ['--columns', 'name,description']
  expect(
    (await exportOf(place, 'categories', '--format', 'ndjson', ...columns, '--output', file)).exitCode,
  ).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe('{"name":"Dogs","description":null}\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('the message about a file that cannot be written has the name that the user gave', async () => {
  await using place = await newStoreDirectory('sqlite')
  await (await place.start()).kill('SIGTERM')
  const file = join(place.directory, 'absent', 'file')
  const exported = await exportOf(place, 'pets', '--output', file)
  const reason = `ENOENT: no such file or directory, open '${file}'.\n`
  expect([exported.exitCode, exported.errors]).toEqual([1, `${file} cannot be written: ${reason}`])
  const made = await run(['new-secret-key', file])
  expect([made.exitCode, made.errors]).toEqual([1, `The key cannot be written to ${file}: ${reason}`])
})
