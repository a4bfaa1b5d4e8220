import { describe, expect, test } from 'bun:test'
import type { AuditEntry } from '../../src/client/api-types.ts'
import { runAt } from '../support/command-line.ts'
import { headOf } from '../support/received-events.ts'
import { openReceiver, reply } from '../support/receiver.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'

const table = ['--output', 'table']
const zone = { TZ: 'Asia/Tokyo' }

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test('the history of a pet says what happened, when, by which key and by which request', async () => {
    const { client, base } = store()
    const { petId } = await makePet(client)
    const { data: key } = await client.createKey({ body: { name: 'till 7', scopes: ['admin'] } })
    const headers = { Authorization: `Bearer ${key.key}`, 'X-Request-Id': 'till-7.00001' }
    const body = JSON.stringify({ petId: Number(petId), reference: 'R-\u001b7' })
    expect((await store().send('POST', '/store/orders', { headers, body })).status).toBe(201)
    await client.updatePet({ petId, body: { name: 'Somebody' } })
    await client.adjustInventory({ petId, body: { quantityChange: 4n, note: 'From the other shop.' } })
    await client.revokeKey({ keyId: key.id })
    await headOf(store())
    const { exitCode, output, errors } = await runAt(base, ['history', 'pet', `${petId}`, ...table], zone)
    expect([exitCode, errors.trim()]).toEqual([0, 'Times are in the time zone Asia/Tokyo.'])
    const lines = output.trim().split('\n')
    const parts = lines.map(line =>
      /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} {2}(.*) {2}\((by .*), request (\S+)\)$/.exec(line),
    )
    expect(parts.map(part => part?.[1])).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Pet \d+ "Anybody" was created in category \d+\.$/),
        expect.stringMatching(/^Order \d+ was placed: 1 unit of pet \d+, reference R-\\u001b7\.$/),
        expect.stringMatching(/^Pet \d+ was renamed from "Anybody" to "Somebody" and became pending\.$/),
        expect.stringMatching(/changed \+1 reserved by order \d+: 1 unit on hand, 1 reserved, pending\.$/),
        expect.stringMatching(/changed \+4 on hand by an adjustment: 5 .* Note: From the other shop\.$/),
      ]),
    )
    const placed = parts.find(part => part?.[1]?.includes('was placed'))
    expect([placed?.[2], placed?.[3]]).toEqual([`by key ${key.id} "till 7"`, 'till-7.00001'])
    const local = new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 10)
    expect(lines.at(-1)).toStartWith(local)
  })

  test('petstore history prints the entries of a pet, order, category or key as JSON, newest last', async () => {
    const { client, base } = store()
    const { petId, orderId, categoryId } = await makePet(client, { quantity: 3n, reserved: 1n })
    await client.updateOrder({ orderId, body: { complete: true } })
    const typesOf = async (...args: string[]): Promise<string[]> => {
      await headOf(store())
      const { output } = await runAt(base, ['history', ...args])
      return JSON.parse(output).map(({ type }: AuditEntry) => type)
    }
    expect(await typesOf('order', `${orderId}`)).toEqual([
      'petstore.order.placed',
      'petstore.order.completed',
    ])
    expect(await typesOf('category', `${categoryId}`)).toEqual(['petstore.category.created'])
    const { data: key } = await client.createKey({ body: { name: 'x', scopes: ['events:read'] } })
    expect(await typesOf('key', `${key.id}`)).toEqual(['petstore.key.created'])
    const all = await typesOf('pet', `${petId}`)
    expect(all.at(-1)).toBe('petstore.order.completed')
    const cut = await runAt(base, ['history', 'pet', `${petId}`, '--limit', '2'])
    expect(JSON.parse(cut.output).map(({ type }: AuditEntry) => type)).toEqual(all.slice(-2))
    expect(cut.errors).toContain('Older entries exist: use --limit 20')
  })

  test('an empty history says why it may be empty, and since when the store keeps entries', async () => {
    const { client, base } = store()
    const { petId } = await makePet(client)
    await headOf(store())
    const none = await runAt(base, ['history', 'pet', '999999', ...table])
    expect([none.exitCode, none.output]).toEqual([0, ''])
    expect(none.errors).toMatch(
      /^Nothing found for pet 999999 .* The store keeps entries since \d{4}-.* \(.+\)\.\n$/,
    )
    const past = await runAt(base, ['history', 'pet', `${petId}`, '--until', 'yesterday', ...table])
    expect([past.output, past.errors.includes('Nothing found')]).toEqual(['', true])
    const present = await runAt(base, [
      'history',
      'pet',
      `${petId}`,
      '--since',
      '1h',
      '--until',
      'today',
      ...table,
    ])
    expect(present.output).toContain('was created')
  })

  test('a key with only the scope audit:read gets the history, and a key without that scope is refused', async () => {
    const { client, base } = store()
    const { petId } = await makePet(client)
    const { data: key } = await client.createKey({ body: { name: 'auditor', scopes: ['audit:read'] } })
    const env = { PETSTORE_KEY: key.key }
    await headOf(store())
    const { exitCode, output } = await runAt(base, ['history', 'pet', `${petId}`, ...table], env)
    expect([exitCode, output.includes('was created in category'), output.includes('by key 1')]).toEqual([
      0,
      true,
      true,
    ])
    const none = await runAt(base, ['history', 'pet', '999999', ...table], env)
    expect([none.exitCode, none.errors]).toEqual([0, expect.stringContaining('Either nothing happened')])
    const { data: other } = await client.createKey({ body: { name: 'other', scopes: ['orders:read'] } })
    const refused = await runAt(base, ['history', 'pet', `${petId}`], { PETSTORE_KEY: other.key })
    expect([refused.exitCode, refused.output]).toEqual([1, ''])
  })
})

describe('periods', () => {
  const headers = { 'Content-Type': 'application/json', Link: '<http://store/audit>; rel="first"' }

  /** Returns the query parameters that `petstore history` sends with these arguments. */
  async function requested(args: readonly string[], timeZone: string): Promise<Record<string, string>> {
    await using server = await openReceiver(() => reply(200, headers, '[]'))
    const env = { TZ: timeZone, PETSTORE_KEY: ADMIN_KEY }
    const { exitCode } = await runAt(server.base, ['history', 'order', '7', ...args], env)
    expect(exitCode).toBe(0)
    const [first] = server.received
    return Object.fromEntries(new URL(first?.path ?? '', server.base).searchParams)
  }

  test('a period given as a date is the whole local day, even if the clocks change on that day', async () => {
    expect(await requested(['--since', '2026-03-29', '--until', '2026-03-29'], 'Europe/Berlin')).toEqual({
      limit: '100',
      subject: 'orders/7',
      since: '2026-03-28T23:00:00Z',
      until: '2026-03-29T22:00:00Z',
    })
  })

  test('a period can begin with the word yesterday, and end with a duration counted back from now', async () => {
    const { since = '', until = '' } = await requested(
      ['--since', 'yesterday', '--until', '90m'],
      'Asia/Tokyo',
    )
    expect(since).toMatch(/T15:00:00Z$/)
    const hoursAgo = (Date.now() - Date.parse(since)) / 3_600_000
    expect([hoursAgo >= 24, hoursAgo < 49]).toEqual([true, true])
    expect(Math.abs(Date.now() - 90 * 60_000 - Date.parse(until))).toBeLessThan(30_000)
  })

  test.each(['2026-02-30', '0026-11-21', '0099-12-31', '3', 'soon', '-1d', '2026-11-21T09:30:00'])(
    'petstore history --since %s is refused',
    async text => {
      const { exitCode, errors } = await runAt('http://127.0.0.1:1', ['history', 'pet', '1', '--since', text])
      expect([exitCode, errors]).toEqual([2, expect.stringContaining('It must be yesterday, today, a date')])
    },
  )
})
