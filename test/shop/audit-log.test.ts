import { expect, test } from 'bun:test'
import { z } from 'zod'
import { CHAIN_START, nextChainEntry } from '../../src/database/numbering/chain.ts'
import type { AuditEntry } from '../../src/shop/events/audit-schema.ts'
import { namedSubject, subjectKinds } from '../../src/shop/events/schema.ts'
import { DAY_MS } from '../../src/values/time-zone.ts'
import { importCategories, useShop } from '../support/busy-shop.ts'
import { everyItem, makeClient } from '../support/client.ts'
import { headOf } from '../support/received-events.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { ADMIN_KEY, codeOf, onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

const StoredEvent = z.object({
  id: z.bigint(),
  position: z.bigint(),
  hash: z.string(),
  type: z.string(),
  subject: z.string(),
  subjectVersion: z.bigint(),
  data: z.string(),
  keyId: z.bigint().nullable(),
  requestId: z.string(),
  at: z.string(),
  traceparent: z.string().nullable(),
})

async function storedEvents(store: TestStore): Promise<z.output<typeof StoredEvent>[]> {
  await headOf(store)
  const rows = await store.database(`SELECT id, position, hash, type, subject,
    subject_version AS "subjectVersion", data, key_id AS "keyId", request_id AS "requestId", at, traceparent
    FROM event ORDER BY position`)
  return StoredEvent.array().parse(rows)
}

/** Returns the positions whose chain entry does not match the event and the previous entry; [] for an intact chain. */
async function brokenLinks(store: TestStore): Promise<bigint[]> {
  let link = CHAIN_START
  return (await storedEvents(store)).flatMap(event => {
    link = nextChainEntry(link, event)
    return link.position === event.position && link.hash === event.hash ? [] : [event.position]
  })
}

type Filters = Parameters<TestStore['client']['listAudit']>[0]

/** Returns all entries of the audit log that match the filters, read page by page. */
async function readAuditLog({ client }: TestStore, filters: Filters = {}): Promise<AuditEntry[]> {
  return Array.fromAsync(everyItem(client.listAudit, filters))
}

/** Creates a key, and returns its id and a client with the key. */
async function openKey(store: TestStore) {
  const { data } = await store.client.createKey({
    body: { name: 'Till', scopes: ['pets:write'] },
  })
  return { keyId: data.id, client: makeClient({ base: store.base, key: data.key }) }
}

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test('the audit log starts with the newest change, and shows the key and the request that made it', async () => {
    const { keyId, client } = await openKey(store())
    const { data } = await client.createCategory(
      { body: { name: 'Audited' } },
      { headers: { 'X-Request-Id': 'till-2.00042' } },
    )
    await headOf(store())
    const [last, before] = (await store().client.listAudit({ limit: 2 })).data.items
    expect(last).toMatchObject({
      type: 'petstore.category.created',
      subject: `categories/${data.id}`,
      keyId,
      requestId: 'till-2.00042',
      data,
    })
    expect(before).toMatchObject({ type: 'petstore.key.created', subject: `keys/${keyId}` })
    expect(last?.position).toBe((before?.position ?? 0n) + 1n)
  })

  test('a change that the store makes itself has no key in the audit log', async () => {
    const entries = await readAuditLog(store())
    expect(entries.at(-1)).toMatchObject({
      position: 1n,
      type: 'petstore.key.created',
      requestId: 'petstore',
    })
    expect(entries.at(-1)).not.toHaveProperty('keyId')
  })

  test('each event of a resource has the next version of the resource, up to its deletion', async () => {
    await using own = await openTestStore(engine)
    const { client } = own
    const { petId, categoryId, orderId } = await makePet(client, { quantity: 3n, reserved: 1n })
    const { data: webhook } = await client.createWebhook({
      body: { url: 'http://127.0.0.1:9/', types: ['petstore.pet.created'] },
    })
    const webhookId = webhook.id
    const { data: key } = await client.createKey({ body: { name: 'Till', scopes: ['pets:write'] } })
    await client.updateOrder({ orderId, body: { quantity: 2n } })
    await client.cancelOrder({ orderId })
    await client.updatePet({ petId, body: { name: 'Renamed' } })
    await client.deletePet({ petId })
    await client.updateCategory({ categoryId, body: { name: 'Renamed' } })
    await client.deleteCategory({ categoryId })
    await client.updateWebhook({ webhookId, body: { enabled: false } })
    await client.deleteWebhook({ webhookId })
    await client.revokeKey({ keyId: key.id })
    const versions = Map.groupBy(await storedEvents(own), ({ subject }) =>
      subject.replace('inventory/', 'pets/'),
    )
    const distinct = (subject: string) => [
      ...new Set(versions.get(subject)?.map(({ subjectVersion }) => subjectVersion)),
    ]
    expect(distinct(`orders/${orderId}`)).toEqual([1n, 2n, 3n])
    expect(distinct(`categories/${categoryId}`)).toEqual([1n, 2n, 3n])
    expect(distinct(`webhooks/${webhookId}`)).toEqual([1n, 2n, 3n])
    expect(distinct(`keys/${key.id}`)).toEqual([1n, 2n])
    // Creation, count, order, change of the order, cancellation, new name, deletion.
    expect(distinct(`pets/${petId}`)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n])
    expect(versions.get(`pets/${petId}`)?.at(-1)).toMatchObject({
      type: 'petstore.pet.deleted',
      subjectVersion: 7n,
    })
  })

  test('a period has an inclusive start and an exclusive end; a date means a whole day in UTC', async () => {
    let nowMs = Date.parse('2026-11-19T00:00:00Z')
    await using own = await openTestStore(engine, { clock: () => nowMs })
    for (let hours = 0; hours < 20; hours++) {
      await own.client.createCategory({ body: { name: `At ${hours}` } })
      nowMs += DAY_MS / 4
    }
    await headOf(own)
    const all = await readAuditLog(own)
    const within = (from: string, to: string): AuditEntry[] =>
      all.filter(({ at }) => Date.parse(at) >= Date.parse(from) && Date.parse(at) < Date.parse(to))
    const periods: [Filters, string, string][] = [
      [{ since: '2026-11-21' }, '2026-11-21T00:00:00Z', '9999-12-31'],
      [{ until: '2026-11-20' }, '0001-01-01', '2026-11-21T00:00:00Z'],
      [{ since: '2026-11-21', until: '2026-11-21' }, '2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z'],
      [{ until: '2026-11-20T06:00:00Z' }, '0001-01-01', '2026-11-20T06:00:00Z'],
      [{ until: '2026-11-20T07:00:00.001+01:00' }, '0001-01-01', '2026-11-20T06:00:00.001Z'],
      [{ since: '0001-01-01', until: '9999-12-31' }, '0001-01-01', '9999-12-31T23:59:59.999Z'],
      [{ until: '0001-01-01' }, '0001-01-01', '0001-01-02'],
    ]
    for (const [filters, from, to] of periods) {
      for (const limit of [1, 100])
        expect(await readAuditLog(own, { ...filters, limit })).toEqual(within(from, to))
    }
    expect(within('2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z')).toHaveLength(4)
  })

  test('a period or a subject that cannot exist is refused with a message that names the valid values', async () => {
    const instant = 'an RFC 3339 date-time with an offset, or a date that exists, such as 2026-11-21'
    const kinds =
      'a kind, a slash and an id, such as orders/1; the kinds are pets, categories, orders, inventory'
    const emptyPeriod =
      'The period is empty: until must be later than since. A date in until means the end of that day.'
    const cases: [string, string][] = [
      ['since=2026-02-30', `since must be ${instant}, not "2026-02-30".`],
      ['until=2026-13-01', `until must be ${instant}, not "2026-13-01".`],
      ['until=2026-11-21T10:00', `until must be ${instant}, not "2026-11-21T10:00".`],
      ['since=', `since must be ${instant}, not "".`],
      ['since=2026-11-22&until=2026-11-21', emptyPeriod],
      ['since=2026-11-21T00:00:00Z&until=2026-11-21T00:00:00Z', emptyPeriod],
      ...['pet/12', 'dogs/1', 'pets/abc', 'pets', 'pets/', 'pets/0', 'pets/012', 'pets/1/2', 'pets/1%0A'].map(
        (subject): [string, string] => [
          `subject=${subject}`,
          `subject must be ${kinds}, webhooks, keys, not `,
        ],
      ),
    ]
    for (const [query, message] of cases) {
      const reply = await store().send('GET', `/audit?${query}`)
      const body = z.looseObject({ code: z.string(), message: z.string() }).parse(await reply.json())
      expect([query, reply.status, body.code]).toEqual([query, 400, 'invalid_parameter'])
      expect(body.message).toStartWith(message)
    }
  })

  test('the filter by subject accepts every subject in the log, and the log has every kind it accepts', async () => {
    await makePet(store().client, { quantity: 3n, reserved: 1n })
    await store().client.createWebhook({ body: { url: 'http://127.0.0.1:9/kinds' } })
    await headOf(store())
    const subjects = new Set((await readAuditLog(store())).map(({ subject }) => subject))
    expect(new Set([...subjects].map(subject => subject.split('/')[0] ?? ''))).toEqual(new Set(subjectKinds))
    for (const subject of subjects)
      expect([subject, namedSubject.safeParse(subject).success]).toEqual([subject, true])
  })

  test('the audit log lists each entry once, newest first, although changes are made between two pages', async () => {
    await importCategories(store().client, 50)
    const head = await headOf(store())
    const positions: bigint[] = []
    for await (const { position } of everyItem(store().client.listAudit, { limit: 7 })) {
      if (positions.length % 20 === 0) await store().client.createCategory({ body: { name: 'Meanwhile' } })
      positions.push(position)
    }
    expect(positions).toEqual(Array.from({ length: Number(head) }, (_, index) => head - BigInt(index)))
  })

  test('an old entry is found although the pages before it are empty', async () => {
    let aheadMs = 0
    await using own = await openTestStore(engine, { clock: () => Date.now() + aheadMs })
    const { petId, categoryId } = await makePet(own.client)
    // The later entries are older by their clock.
    aheadMs = -3_600_000
    await importCategories(own.client, 5200)
    await headOf(own)
    const subject = `categories/${categoryId}`
    const first = await own.client.listAudit({ subject })
    expect(first.data.items).toEqual([])
    expect(first.data.next).toBeString()
    expect((await readAuditLog(own, { subject })).map(({ type }) => type)).toEqual([
      'petstore.category.created',
    ])
    const since = new Date(Date.now() - 1_800_000).toISOString()
    expect(await readAuditLog(own, { subject, since })).toHaveLength(1)
    // An index finds the events of a pet, so a filter by pet, or by the subject of a pet, has no empty pages.
    const ofPet = await own.client.listAudit({ petId })
    expect(ofPet.data.items.map(({ type }) => type)).toEqual([
      'petstore.inventory.changed',
      'petstore.pet.created',
    ])
    expect(ofPet.data.next).toBeUndefined()
    const ofSubject = await own.client.listAudit({ subject: `pets/${petId}` })
    expect(ofSubject.data.items).toMatchObject([{ type: 'petstore.pet.created' }])
    expect(ofSubject.data.next).toBeUndefined()
  })

  test('an entry of a period is found although entries before it are newer', async () => {
    let aheadMs = 0
    await using own = await openTestStore(engine, { clock: () => Date.now() + aheadMs })
    await own.client.createCategory({ body: { name: 'Before' } })
    aheadMs = 2 * 3_600_000
    await importCategories(own.client, 12)
    aheadMs = 0
    const { data: last } = await own.client.createCategory({ body: { name: 'After' } })
    await headOf(own)
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const { data } = await own.client.listAudit({ until, limit: 1 })
    expect(data.items[0]?.subject).toBe(`categories/${last.id}`)
  })

  test('the filter by pet finds the events of the pet, its stock and its orders, also with other filters', async () => {
    await using own = await openTestStore(engine)
    const till = await own.client.createKey({
      body: { name: 'Till', scopes: ['orders:write', 'pets:write'] },
    })
    const client = makeClient({ base: own.base, key: till.data.key })
    const pets = [
      await makePet(own.client, { quantity: 9n }),
      await makePet(own.client, { quantity: 9n }),
    ] as const
    for (const { petId } of pets) {
      const { data: sold } = await client.placeOrder({ body: { petId, quantity: 2n } })
      const { data: cancelled } = await own.client.placeOrder({ body: { petId } })
      await client.updatePet({ petId, body: { name: 'Other' } })
      await client.updateOrder({ orderId: sold.id ?? 0n, body: { complete: true } })
      await own.client.cancelOrder({ orderId: cancelled.id ?? 0n })
    }
    const [{ petId }, other] = pets
    await own.client.setInventory({ petId, body: { quantity: 0n } })
    await own.client.deletePet({ petId })
    await headOf(own)
    const all = await readAuditLog(own)
    const isAbout = ({ subject, data }: AuditEntry): boolean =>
      [`pets/${petId}`, `inventory/${petId}`].includes(subject) ||
      (subject.startsWith('orders/') && 'petId' in data && data.petId === petId)
    const about = all.filter(isAbout)
    expect(about.length).toBe(14)
    for (const limit of [1, 4, 100]) expect(await readAuditLog(own, { petId, limit })).toEqual(about)
    const { id: keyId } = till.data
    expect(await readAuditLog(own, { petId, keyId })).toEqual(about.filter(entry => entry.keyId === keyId))
    const subject = `inventory/${petId}`
    expect(await readAuditLog(own, { petId, subject })).toEqual(
      about.filter(entry => entry.subject === subject),
    )
    expect(await readAuditLog(own, { petId, subject: `pets/${other.petId}` })).toEqual([])
    expect(await readAuditLog(own, { petId: 404404n })).toEqual([])
    const feed = await own.client.listEvents({ petId, limit: 100 })
    expect(feed.data.items.map(({ sequence }) => BigInt(sequence))).toEqual(
      about.map(({ position }) => position).toReversed(),
    )
    expect(await violatedInvariants(own)).toEqual([])
  })

  test('keys and webhooks are in the audit log, but their secrets are not', async () => {
    const { client } = store()
    const after = await headOf(store())
    const { data: key } = await client.createKey({ body: { name: 'Till', scopes: ['events:read'] } })
    const { data: hook } = await client.createWebhook({ body: { url: 'http://127.0.0.1:9/x' } })
    const webhookId = hook.id
    await client.updateWebhook({ webhookId, body: { description: 'Another' } })
    const { data: rotated } = await client.rotateWebhookSecret({ webhookId })
    await client.sendTestEvent({ webhookId })
    await client.deleteWebhook({ webhookId })
    await client.revokeKey({ keyId: key.id })
    await headOf(store())
    const entries = (await readAuditLog(store())).filter(({ position }) => position > after)
    expect(entries.map(({ type }) => type).toReversed()).toEqual([
      'petstore.key.created',
      'petstore.webhook.created',
      'petstore.webhook.updated',
      'petstore.webhook.secret-rotated',
      'petstore.webhook.test',
      'petstore.webhook.deleted',
      'petstore.key.revoked',
    ])
    const rows = JSON.stringify((await storedEvents(store())).map(({ data }) => data))
    const sent = JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    expect(rows).toContain('127.0.0.1:9')
    for (const secret of [ADMIN_KEY, key.key, hook.secret, rotated.secret]) {
      for (const part of [secret, secret.slice(secret.indexOf('_') + 1)]) {
        expect(rows).not.toContain(part)
        expect(sent).not.toContain(part)
      }
    }
  })

  test('each entry is chained to the previous one, also after concurrent writes', async () => {
    await using own = await openTestStore(engine)
    await useShop(own.client, 16, 800, 7)
    await importCategories(own.client, 1100)
    expect(await brokenLinks(own)).toEqual([])
    const [stored] = (await storedEvents(own)).slice(-1)
    const [last] = (await own.client.listAudit({ limit: 1 })).data.items
    expect(last).toMatchObject({ position: stored?.position, hash: stored?.hash })
    const head = await own.database(`SELECT position, hash FROM chain_end WHERE name = 'head'`)
    expect(head).toEqual([{ position: stored?.position, hash: stored?.hash }])
  })

  test('control: an event that was changed or deleted breaks the chain', async () => {
    await using own = await openTestStore(engine)
    await importCategories(own.client, 9)
    const head = await headOf(own)
    await own.database(`UPDATE event SET data = '{"id":5,"name":"Nobody"}' WHERE position = 5 RETURNING id`)
    expect(await brokenLinks(own)).toEqual(
      Array.from({ length: Number(head) - 4 }, (_, index) => BigInt(index + 5)),
    )
    await own.database('DELETE FROM event WHERE position = 3 RETURNING id')
    expect((await brokenLinks(own))[0]).toBe(4n)
  })

  test('audit:read gives access only to the audit log, and keys:manage includes it', async () => {
    const others = await store().clientWith('events:read', 'pets:write', 'webhooks:manage')
    expect(await codeOf(others.listAudit({}))).toBe('403 insufficient_scope')
    const auditor = await store().clientWith('audit:read')
    expect((await auditor.listAudit({ limit: 1 })).status).toBe(200)
    expect(await codeOf(auditor.listKeys({}))).toBe('403 insufficient_scope')
    expect(await codeOf(auditor.listEvents({}))).toBe('403 insufficient_scope')
    const manager = await store().clientWith('keys:manage')
    expect((await manager.listAudit({ limit: 1 })).status).toBe(200)
    const granted = await manager.createKey({ body: { name: 'Auditor', scopes: ['audit:read'] } })
    expect(granted.status).toBe(201)
  })
})
