import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { invariants } from '../../src/shop/registry/invariants.ts'
import { useShop } from '../support/busy-shop.ts'
import { command, type ProcessResult, run, runToEnd } from '../support/process.ts'
import { onEveryEngine } from '../support/store.ts'
import { contentOf } from '../support/store-content.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'

async function doctor(place: StoreDirectory): Promise<ProcessResult> {
  return run(['doctor', '--data', place.directory], place.env)
}

/** Returns the subjects of the findings that have this mark. */
function subjects({ output }: ProcessResult, mark: 'ok' | 'warn' | 'FAIL'): string[] {
  return output
    .split('\n')
    .filter(line => line.startsWith(`${mark} `))
    .map(line => line.slice(6, 20).trim())
}

/** Returns the condition for the last line of the books, or the last one for which a condition is true. */
function ofLast(condition = '1 = 1'): string {
  return `WHERE id = (SELECT max(id) FROM sale_line WHERE ${condition})`
}

onEveryEngine(engine => {
  test('the doctor finds nothing wrong in a running or stopped store, and does not change a stopped one', async () => {
    await using place = await newStoreDirectory(engine)
    await place.use(async client => {
      const writes = useShop(client, 2, 600, 1)
      const busy = await doctor(place)
      await writes
      expect([busy.exitCode, subjects(busy, 'FAIL')]).toEqual([0, []])
    })
    const before = await contentOf(place)
    const { exitCode, output } = await doctor(place)
    expect([exitCode, output]).toEqual([
      0,
      expect.stringContaining(`${Object.keys(invariants).length} invariants hold`),
    ])
    expect(output).not.toContain('FAIL')
    expect(await contentOf(place)).toEqual(before)
  })

  test('the doctor finds and names damage to the stock, the totals, the audit log and the secret key', async () => {
    await using place = await newStoreDirectory(engine)
    await place.use(async client => {
      await useShop(client, 2, 200, 1)
      // Without a webhook, the store needs no key.
      await client.createWebhook({ body: { url: 'http://127.0.0.1:9/' } })
    })
    const damages: [subject: string, damage: string, repair: string, message: string][] = [
      [
        'stock',
        'UPDATE pet SET quantity = quantity + 1 WHERE id = 2',
        'UPDATE pet SET quantity = quantity - 1 WHERE id = 2',
        'not true: quantity is the sum of the movements (ids 2)',
      ],
      [
        'stock',
        'UPDATE category SET pet_count = pet_count + 1 WHERE id = 1',
        'UPDATE category SET pet_count = pet_count - 1 WHERE id = 1',
        'not true: a category counts its pets (ids 1)',
      ],
      [
        'stock',
        `UPDATE sale_line SET pet_id = pet_id + 1 ${ofLast()}`,
        `UPDATE sale_line SET pet_id = pet_id - 1 ${ofLast()}`,
        'not true: every line of the books says what its order says',
      ],
      [
        'stock',
        `UPDATE sale_line SET pet_name = 'Somebody' ${ofLast()}`,
        `UPDATE sale_line SET pet_name = 'Anybody' ${ofLast()}`,
        'not true: every line of the books says what its order says',
      ],
      [
        'stock',
        `UPDATE sale_line SET restocked = 1 - restocked ${ofLast('quantity < 0')}`,
        `UPDATE sale_line SET restocked = 1 - restocked ${ofLast('quantity < 0')}`,
        'not true: what came back into the stock is what the books say',
      ],
      [
        'stock',
        `INSERT INTO pet_barcode (barcode, pet_id) VALUES ('40', 2)`,
        `DELETE FROM pet_barcode WHERE barcode = '40'`,
        'not true: a barcode is that of one pet (ids 2)',
      ],
      [
        'totals',
        `UPDATE total SET value = value + 1 WHERE name = 'orders/open'`,
        `UPDATE total SET value = value - 1 WHERE name = 'orders/open'`,
        'wrong totals: orders/open',
      ],
      [
        'names',
        `UPDATE pet_word SET word = word || 'x' WHERE pet_id = 2`,
        'UPDATE pet_word SET word = substr(word, 1, length(word) - 1) WHERE pet_id = 2',
        'wrong words or sort keys: pet 2',
      ],
      [
        'names',
        `UPDATE category SET sort_key = sort_key || 'x' WHERE id = 1`,
        'UPDATE category SET sort_key = name_key WHERE id = 1',
        'wrong words or sort keys: category 1',
      ],
      [
        'names',
        'UPDATE pet_word SET pet_id = -pet_id WHERE pet_id = 2',
        'UPDATE pet_word SET pet_id = 2 WHERE pet_id = -2',
        ' are missing',
      ],
      [
        'audit log',
        `UPDATE event SET request_id = request_id || 'x' WHERE position = 5`,
        'UPDATE event SET request_id = substr(request_id, 1, length(request_id) - 1) WHERE position = 5',
        'Entry 5',
      ],
      [
        'secret key',
        `UPDATE metadata SET value = 'v1.' || value WHERE name = 'secret-key'`,
        `UPDATE metadata SET value = substr(value, 4) WHERE name = 'secret-key'`,
        'it is not the key with which the webhook secrets were encrypted',
      ],
    ]
    for (const [subject, damage, repair, message] of damages) {
      await place.database(`${damage} RETURNING 1`)
      const found = await doctor(place)
      expect([damage, found.exitCode, found.output]).toEqual([damage, 1, expect.stringContaining(message)])
      expect(subjects(found, 'FAIL')).toContain(subject)
      // A wrong quantity also makes the total of the units wrong, so two checks may fail.
      expect(found.errors).toMatch(/^[12] checks? failed\.\n$/)
      await place.database(`${repair} RETURNING 1`)
    }
    expect((await doctor(place)).exitCode).toBe(0)
  })
})

test('the doctor finds a world-readable file, a missing key, a wrong database version and a damaged file', async () => {
  await using place = await newStoreDirectory('sqlite')
  await place.use(client => useShop(client, 2, 200, 1))
  const file = join(place.directory, 'petstore.db')
  chmodSync(file, 0o644)
  const readable = await doctor(place)
  expect([readable.exitCode, subjects(readable, 'warn')]).toEqual([0, ['directory']])
  chmodSync(file, 0o600)

  const keyFile = join(place.directory, 'secret-key')
  const key = readFileSync(keyFile)
  rmSync(keyFile)
  const keyless = await doctor(place)
  expect([keyless.exitCode, subjects(keyless, 'FAIL')]).toEqual([1, ['secret key']])
  writeFileSync(keyFile, key)

  {
    using database = new Database(file)
    database.run('PRAGMA user_version = 99')
  }
  const newer = await doctor(place)
  expect([newer.exitCode, newer.output]).toEqual([1, expect.stringContaining('use a newer petstore')])

  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0x5a, 4096 * 3, 4096 * 9))
  const damaged = await doctor(place)
  expect([damaged.exitCode, subjects(damaged, 'FAIL').length > 0]).toEqual([1, true])
  expect(damaged.errors).not.toContain('    at ')
})

/** Runs a command as a user that does not own the files of a store. */
async function runAsOther(args: string[]): Promise<ProcessResult> {
  const { line, env } = command(args)
  const asRoot = process.getuid?.() === 0
  return await runToEnd([...(asRoot ? ['setpriv', '--reuid=65534', '--clear-groups'] : []), ...line], env)
}

test('the doctor fails if its user may not read the directory or a file of a store, and names a remedy', async () => {
  await using place = await newStoreDirectory('sqlite')
  await place.use(client => useShop(client, 2, 200, 1))
  const { directory } = place
  // Without root, the owner itself loses the permission.
  const file = join(directory, 'secret-key')
  for (const [path, mode] of [
    [join(directory, 'petstore.db'), 0o644],
    [directory, 0o755],
  ] as const)
    chmodSync(path, mode)
  chmodSync(file, 0o200)
  const keyless = await runAsOther(['doctor', '--data', directory])
  expect([keyless.exitCode, keyless.output]).toEqual([
    1,
    expect.stringContaining(
      `FAIL  directory       this user cannot read ${file}. Run the command as the user`,
    ),
  ])
  chmodSync(directory, 0o200)
  const hidden = await runAsOther(['doctor', '--data', directory])
  expect([hidden.exitCode, subjects(hidden, 'FAIL')]).toEqual([1, ['directory', 'files', 'database']])
  expect(hidden.output).toContain('Run the command as the user that runs the store.')
  expect(hidden.output).not.toContain('there is none')
  const keys = await runAsOther(['keys', 'list', '--data', directory])
  expect([keys.exitCode, keys.errors]).toEqual([1, expect.stringContaining('cannot be read: EACCES')])
  chmodSync(directory, 0o700)
})

test('the doctor says everything as JSON, and fails at a warning only with --strict', async () => {
  await using place = await newStoreDirectory('sqlite')
  await place.use()
  chmodSync(join(place.directory, 'petstore.db'), 0o644)
  const inJson = (...more: string[]) =>
    run(['doctor', '--output', 'json', '--data', place.directory, ...more], place.env)
  const { exitCode, output, errors } = await inJson()
  const { problems, warnings, checks } = JSON.parse(output)
  expect([exitCode, problems, warnings, errors]).toEqual([0, 0, 1, ''])
  expect(checks.map(({ check }: { check: string }) => check)).toEqual([
    ...[
      'runtime',
      'pages',
      'environment',
      'directory',
      'files',
      'database',
      'file',
      'stock',
      'totals',
      'names',
    ],
    ...['audit log', 'secret key', 'admin key', 'webhooks', 'clock', 'backup'],
  ])
  expect(checks[3]).toEqual({
    check: 'directory',
    level: 'warning',
    text: expect.stringContaining('run chmod 600'),
  })
  expect((await inJson('--strict')).exitCode).toBe(1)
  rmSync(join(place.directory, 'secret-key'))
  const keyless = await inJson()
  expect([keyless.exitCode, JSON.parse(keyless.output).problems]).toEqual([1, 1])
})

test('the doctor warns of a day-old store without a backup, and of a backup older than a week', async () => {
  await using place = await newStoreDirectory('sqlite')
  await place.use()
  const backupLine = async (): Promise<string> =>
    /^.*backup.*$/m.exec((await doctor(place)).output)?.[0] ?? ''
  const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()
  expect(await backupLine()).toStartWith('ok    backup          none yet')
  await place.database(`UPDATE api_key SET created_at = '${daysAgo(2)}'`)
  expect(await backupLine()).toStartWith('warn  backup          none is known')
  const missing = { ...place.env, PETSTORE_BACKUPS: join(place.directory, 'none') }
  const unmounted = await run(['doctor', '--data', place.directory], missing)
  expect(unmounted.output).toMatch(/^warn {2}backup .*is its disk mounted\?$/m)
  for (const [days, mark] of [
    [6, 'ok  '],
    [8, 'warn'],
  ] as const) {
    writeFileSync(join(place.directory, 'last-backup'), `${daysAgo(days)} intact\n`)
    expect(await backupLine()).toStartWith(`${mark}  backup          the last began at`)
  }
})

test('the doctor gives no false alarm if a running store has its secret key elsewhere', async () => {
  await using place = await newStoreDirectory('sqlite')
  const keyFile = join(place.directory, 'elsewhere')
  await run(['new-secret-key', keyFile])
  await using server = await place.startWith({ ...place.env, PETSTORE_SECRET_KEY_FILE: keyFile })
  const found = await doctor(place)
  expect([found.exitCode, subjects(found, 'warn')]).toEqual([0, ['secret key']])
  await server.kill('SIGTERM')
})

test('without a store, the doctor checks the installation, and creates nothing', async () => {
  await using place = await newStoreDirectory('sqlite')
  const { exitCode, output } = await doctor(place)
  expect([exitCode, output]).toEqual([0, expect.stringContaining('warn  store           there is none in')])
  expect(output).toContain('ok    runtime')
  expect(readdirSync(place.directory)).toEqual([])
})
