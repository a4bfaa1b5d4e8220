import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { seriousViolations } from '../support/accessibility.ts'
import { newCopyPlace } from '../support/copy-place.ts'
import { testedEngines } from '../support/engines.ts'
import { run, type ServerProcess } from '../support/process.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { setStoreTime } from './requests.ts'
import { isTooWide } from './shop-data.ts'

const browser = consoleBrowser()

/** A folder for saved files. */
function newFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'petstore-saved-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

async function send(server: Pick<ServerProcess, 'base'>, method: string, path: string, key = ADMIN_KEY) {
  const headers = { Authorization: `Bearer ${key}` }
  return await fetch(`${server.base}/console/backups${path}`, { method, headers })
}

async function lastBackup(server: Pick<ServerProcess, 'base'>): Promise<string | null> {
  // Safe: the next lines compare the value.
  const state: unknown = await (await send(server, 'GET', '')).json()
  return (state as { lastBackupAt: string | null }).lastBackupAt
}

async function saveBackup(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save a backup now' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save backup' }).click()
}

/** Starts a store with one pet that has many units. */
async function startShop(place: StoreDirectory): Promise<ServerProcess> {
  const server = await place.start()
  const client = place.client(server)
  await client.createCategory({ body: { name: 'Everything' } })
  await client.createPet({ body: { name: 'Rex', categoryId: 1n } })
  await client.setInventory({ petId: 1n, body: { quantity: 1_000_000n } })
  return server
}

test('a backup that a browser saves under load has every order before it, and becomes an intact store', async () => {
  await using place = await newStoreDirectory('sqlite')
  using folder = newFolder()
  using restored = await newCopyPlace('sqlite')
  const orders: bigint[] = []
  let before: bigint[] = []
  const file = join(folder.path, 'backup.db')
  {
    await using server = await startShop(place)
    const client = place.client(server)
    await client.createWebhook({ body: { url: 'http://127.0.0.1:9/', types: ['petstore.category.deleted'] } })
    let isOver = false
    const buy = async (): Promise<void> => {
      while (!isOver) orders.push((await client.placeOrder({ body: { petId: 1n } })).data.id ?? 0n)
    }
    let buying: Promise<unknown> = Promise.resolve()
    const page = await browser.open(server, '')
    // The orders arrive while the store makes the file, and not while the browser needs the processor.
    await page.route('**/console/backups/*', async route => {
      const isMaking = route.request().method() === 'PUT'
      if (isMaking) {
        buying = Promise.all([buy(), buy(), buy()])
        await until('orders were placed', () => orders.length > 20)
        before = [...orders]
      }
      const response = await route.fetch()
      if (isMaking) isOver = true
      await route.fulfill({ response })
    })
    await page.getByRole('button', { name: 'Save a backup now' }).click()
    await page.getByText('The key of the webhook secrets is not in it').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Save backup' }).click(),
    ])
    await buying
    expect(orders.length).toBeGreaterThan(before.length)
    expect(download.suggestedFilename()).toMatch(/^petstore-backup-\d{4}-\d\d-\d\d\.db$/)
    await download.saveAs(file)
    await page.getByRole('region', { name: 'Last backup: today' }).waitFor()
    await server.kill('SIGTERM')
    expect(readdirSync(place.directory).filter(name => name.includes('draft'))).toEqual([])
  }
  const key = readFileSync(join(place.directory, 'secret-key'), 'utf8').trim()
  expect(readFileSync(file).includes(key)).toBe(false)
  expect((await run(['restore', '--from', file, '--to', restored.name])).exitCode).toBe(0)
  const audit = await run(['audit', 'verify', '--data', restored.name])
  expect([audit.exitCode, audit.output]).toEqual([0, expect.stringContaining('are intact')])
  await using server = await restored.serve(join(place.directory, 'secret-key'))
  const kept = new Set((await restored.database('SELECT id FROM orders')).map(({ id }) => id))
  expect(before.filter(id => !kept.has(id))).toEqual([])
  const { data } = await place.client(server).placeOrder({ body: { petId: 1n } })
  expect(orders.filter(id => id >= (data.id ?? 0n))).toEqual([])
  const page = await browser.open(server, '')
  await page.getByRole('region', { name: 'Last backup: today' }).waitFor()
  await page.getByText(/^The shop was restored .* so that none is given out twice\.$/).waitFor()
})

/** Passes connections on to a store, and cuts the one that downloads a backup within the file. */
async function openCuttingProxy(port: number): Promise<{ base: string } & Disposable> {
  const proxy = createServer(client => {
    const store = connect(port, '127.0.0.1')
    client.pipe(store)
    store.on('data', (bytes: Buffer) => {
      if (!bytes.includes('application/vnd.sqlite3')) return client.write(bytes)
      return client.write(bytes.subarray(0, bytes.length - 100), () => client.destroy())
    })
    for (const end of [client, store]) end.on('error', () => {})
    client.on('close', () => store.destroy())
    store.on('close', () => client.end())
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return { base: `http://127.0.0.1:${address.port}`, [Symbol.dispose]: () => proxy.close() }
}

test('a download that is cut is no backup: the page says so, and the store does not record it', async () => {
  await using place = await newStoreDirectory('sqlite')
  await using server = await startShop(place)
  using proxy = await openCuttingProxy(Number(new URL(server.base).port))
  const page = await browser.open(proxy, '')
  let downloads = 0
  page.on('download', () => downloads++)
  await saveBackup(page)
  await page.getByText('The download was cut off, so it is no backup. Save it again.').waitFor()
  expect([downloads, await lastBackup(server)]).toEqual([0, null])
})

test('a backup that may not be recorded is sent again, also if its panel moves and its state is unread', async () => {
  await using place = await newStoreDirectory('sqlite')
  await using server = await startShop(place)
  const page = await browser.open(server, '')
  await page.getByRole('region', { name: 'No backup was ever made' }).waitFor()
  await setStoreTime(page, Date.now() + 25 * 3_600_000)
  await place.client(server).createCategory({ body: { name: 'Read the time' } })
  await page.getByRole('status').filter({ hasText: 'No backup was ever made' }).waitFor()
  let loses = true
  await page.route('**/saved', async route => {
    const response = await route.fetch()
    await (loses ? route.abort('connectionreset') : route.fulfill({ response }))
  })
  await saveBackup(page)
  const again = page.getByRole('button', { name: 'Send again' })
  await again.waitFor()
  await page.getByText('Last backup: yesterday').waitFor()
  let unread = 0
  await page.route('**/console/backups', async route => {
    unread++
    await route.fulfill({ status: 403 })
  })
  await again.click()
  await until('the state was not read', () => unread > 0)
  await again.waitFor()
  loses = false
  await again.click()
  await page.getByText('Backup saved').waitFor()
})

test('restore refuses a saved file with a missing or changed byte, and leaves nothing', async () => {
  await using place = await newStoreDirectory('sqlite')
  using folder = newFolder()
  await using server = await startShop(place)
  expect((await send(server, 'PUT', '/one')).status).toBe(200)
  const whole = Buffer.from(await (await send(server, 'GET', '/one')).arrayBuffer())
  const file = join(folder.path, 'changed.db')
  const target = join(folder.path, 'restored')
  const changedAt = (at: number): Buffer => {
    const changed = Buffer.from(whole)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    return changed
  }
  const cutOrChanged = 'is not a backup that the console saved, is cut off, or was changed'
  const end = whole.length - 1024
  const changes: [Buffer, string][] = [
    ...['', 'PK', 'x'.repeat(2000)].map((text): [Buffer, string] => [Buffer.from(text), cutOrChanged]),
    ...[1000, whole.length - 1, end].map((bytes): [Buffer, string] => [
      whole.subarray(0, bytes),
      cutOrChanged,
    ]),
    ...[end, whole.indexOf('createdAt', end) + 15, whole.length - 1].map((at): [Buffer, string] => [
      changedAt(at),
      cutOrChanged,
    ]),
    [Buffer.concat([whole, Buffer.alloc(512)]), cutOrChanged],
    ...[0, 600, end - 1].map((at): [Buffer, string] => [changedAt(at), `${file} is damaged`]),
  ]
  for (const [bytes, message] of changes) {
    writeFileSync(file, bytes)
    const { exitCode, errors } = await run(['restore', '--from', file, '--to', target])
    expect([exitCode, errors]).toEqual([1, expect.stringContaining(message)])
    expect(readdirSync(folder.path)).toEqual(['changed.db'])
  }
  writeFileSync(file, whole)
  // Beside a volume, or the directory of a service, is another disk, or the directory of another user.
  mkdirSync(target)
  const beside = new Set<string | null>()
  const watcher = watch(folder.path, (_, name) => beside.add(name))
  expect((await run(['restore', '--from', file, '--to', target])).exitCode).toBe(0)
  watcher.close()
  expect([...beside].filter(name => name?.includes('draft'))).toEqual([])
  expect(readdirSync(target).toSorted()).toEqual(['lock', 'petstore.db'])
})

test('a second backup is refused while one is made, and only admins make, read or record backups', async () => {
  await using place = await newStoreDirectory('sqlite')
  await using server = await startShop(place)
  const { data } = await place.client(server).createKey({
    body: { name: 'till', scopes: ['orders:write', 'orders:read', 'events:read', 'audit:read'] },
  })
  const [first, second, again] = await Promise.all(
    ['/one', '/two', '/one'].map(async path => {
      const response = await send(server, 'PUT', path)
      return [response.status, await response.text()]
    }),
  )
  expect([first?.[0], again]).toEqual([200, first])
  expect(second).toEqual([503, expect.stringContaining('Another backup is being made')])
  for (const [method, path] of [
    ...[
      ['GET', ''],
      ['PUT', '/three'],
      ['GET', '/one'],
      ['PUT', '/one/saved'],
    ],
  ] as const)
    expect([path, (await send(server, method, path, data.key)).status]).toEqual([path, 403])
  expect((await fetch(`${server.base}/console/backups/one`)).status).toBe(401)
  expect(await lastBackup(server)).toBeNull()
  expect((await send(server, 'PUT', '/two/saved')).status).toBe(404)
  // The response to the first one may be lost.
  expect((await send(server, 'PUT', '/one/saved')).status).toBe(204)
  expect((await send(server, 'PUT', '/one/saved')).status).toBe(204)
  expect(await lastBackup(server)).toBe(JSON.parse(String(first?.[1])).at)
  const page = await browser.open(server, '', { key: data.key })
  await page.getByRole('region', { name: 'Live events' }).waitFor()
  expect(await page.getByText(/backup/i).count()).toBe(0)
})

test('the dashboard counts the days of the shop since the last backup, and warns after a week', async () => {
  await using place = await newStoreDirectory('sqlite')
  // Half an hour before midnight in the shop, it is the next day in UTC.
  await using server = await place.startWith({ ...place.env, PETSTORE_TIME_ZONE: 'America/St_Johns' })
  const client = place.client(server)
  let count = 0
  for (const [locale, none, today, sevenDays] of [
    ['en-US', 'No backup was ever made', 'today', '7 days ago'],
    ['de-DE', 'Es gibt noch keine Sicherung', 'heute', 'vor 7 Tagen'],
  ] as const) {
    rmSync(join(place.directory, 'last-backup'), { force: true })
    let page = await browser.open(server, '', { width: 390, locale })
    const at = async (time: number | string): Promise<void> => {
      await setStoreTime(page, typeof time === 'number' ? time : Date.parse(time))
      // A live event makes the page read the totals again, and so the time of the store.
      await client.createCategory({ body: { name: `Category ${++count}` } })
    }
    const calm = (title: string) => page.getByRole('region', { name: title, exact: true }).waitFor()
    const warning = (title: string) => page.getByRole('status').filter({ hasText: title }).waitFor()
    const last = locale === 'de-DE' ? 'Letzte Sicherung: ' : 'Last backup: '
    await calm(none)
    await at(Date.now() + 25 * 3_600_000)
    await warning(none)
    expect(await isTooWide(page)).toBe(false)
    writeFileSync(join(place.directory, 'last-backup'), '2040-03-01T03:00:00.000Z\n')
    page = await browser.open(server, '', { width: 390, locale })
    await calm(last + today)
    if (locale === 'en-US') {
      await at('2040-02-29T23:59:56-03:30')
      await calm('Last backup: today')
      await calm('Last backup: yesterday')
    }
    // Seven times 24 hours after the backup, as `petstore doctor` does.
    await at('2040-03-08T02:59:56Z')
    await calm(last + sevenDays)
    await warning(last + sevenDays)
    expect(await seriousViolations(page)).toEqual([])
    expect(await isTooWide(page)).toBe(false)
  }
})

test.skipIf(!testedEngines.includes('postgres'))(
  'on PostgreSQL, the dashboard names the command',
  async () => {
    await using place = await newStoreDirectory('postgres')
    await using server = await place.start()
    const page = await browser.open(server, '')
    const panel = page.getByRole('region', { name: 'No backup was ever made' })
    await panel
      .getByText('This shop is on PostgreSQL: the command “petstore backup” makes a backup.')
      .waitFor()
    expect(await panel.getByRole('button').count()).toBe(0)
    const guide = await panel.getByRole('link').getAttribute('href')
    expect(await (await fetch(server.base + (guide ?? ''))).text()).toContain('id="back-up"')
  },
)
