import { expect, test } from 'bun:test'
import { ApiError } from '../../src/client/errors.ts'
import { ensureAdminKey } from '../../src/serving/first-start.ts'
import { performReadThenWrite } from '../controls/read-then-write.ts'
import { performReferenceByRead } from '../controls/reference-by-read.ts'
import { makeClient } from '../support/client.ts'
import { testedEngines } from '../support/engines.ts'
import { makePet } from '../support/shop.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { ADMIN_KEY, onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

/** The isolation level of the controls. At a higher level, PostgreSQL itself prevents their faults. */
const isolation = 'READ COMMITTED'

const ROUNDS = times(50, 1000)
const BUYERS = 64
const ISOLATED_ROUNDS = times(10, 200)
const ADMINS = 3
const TIMEOUT_MS = timeLimitMs(120_000)

/** Returns the number of calls by their outcome: `201`, `409 insufficient_stock`, ... */
async function countOutcomes(calls: Promise<{ status: number }>[]): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {}
  for (const result of await Promise.allSettled(calls)) {
    const outcome =
      result.status === 'fulfilled'
        ? String(result.value.status)
        : result.reason instanceof ApiError
          ? `${result.reason.status} ${result.reason.code}`
          : String(result.reason)
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  return outcomes
}

/**
 * Lets many buyers order the last units of one pet at once. Returns a fault unless exactly `units` orders succeed and
 * the others are refused.
 */
async function sellOut(store: TestStore, units: number, buyers: number): Promise<string[]> {
  const { petId } = await makePet(store.client, { quantity: BigInt(units) })
  const outcomes = await countOutcomes(
    Array.from({ length: buyers }, () => store.client.placeOrder({ body: { petId } })),
  )
  const expected = { '201': units, '409 insufficient_stock': buyers - units }
  if (Bun.deepEquals(outcomes, expected)) return []
  return [`${units} units and ${buyers} buyers ended in ${JSON.stringify(outcomes)}`]
}

/**
 * Creates pets in a category while it is deleted, and orders a pet while it is deleted. Returns a fault for each
 * outcome that is not allowed.
 */
async function createWhileDeleting(store: TestStore): Promise<string[]> {
  const { client } = store
  const { data: category } = await client.createCategory({ body: { name: 'C' } })
  const body = { name: 'P', categoryId: category.id }
  const { petId } = await makePet(client, { quantity: 3n })
  const outcomes = await countOutcomes([
    client.createPet({ body }),
    client.deleteCategory({ categoryId: category.id }),
    client.createPet({ body }),
    client.deletePet({ petId }),
    client.placeOrder({ body: { petId } }),
    client.deletePet({ petId }),
    client.placeOrder({ body: { petId } }),
    client.updatePet({ petId, body: { categoryId: category.id } }),
  ])
  const faults = Object.keys(outcomes).filter(outcome => !/^(2..|404|409|422)/.test(outcome))
  return faults.map(outcome => `a race ended in ${outcome}`)
}

/** Cancels, completes and places orders of one pet concurrently. Returns a fault if an outcome is wrong. */
async function settleAtOnce(store: TestStore): Promise<string[]> {
  const { client } = store
  const { petId } = await makePet(client, { quantity: 8n })
  const orders = await Promise.all(Array.from({ length: 8 }, () => client.placeOrder({ body: { petId } })))
  const outcomes = await countOutcomes(
    orders.flatMap(({ data }, index) => {
      const orderId = data.id ?? 0n
      const settled =
        index % 2 === 0
          ? client.cancelOrder({ orderId })
          : client.updateOrder({ orderId, body: { complete: true } })
      return [settled, client.placeOrder({ body: { petId } })]
    }),
  )
  const wrong = Object.keys(outcomes).filter(
    outcome => !['200', '201', '204', '409 insufficient_stock'].includes(outcome),
  )
  if (outcomes['204'] !== 4 || outcomes['200'] !== 4 || wrong.length > 0)
    return [`the orders ended in ${JSON.stringify(outcomes)}`]
  return []
}

/**
 * Changes a category, a webhook, an order and a pet, and concurrently deletes each one with its earlier ETag. Returns
 * the resources for which both calls succeeded. Only one call may succeed: after the change the ETag does not match,
 * and after the deletion nothing is left.
 */
async function deleteWhileChanging({ client }: TestStore): Promise<string[]> {
  const { petId, categoryId } = await makePet(client, { quantity: 5n })
  const { data: empty } = await client.createCategory({ body: { name: 'Empty' } })
  const { data: webhook } = await client.createWebhook({ body: { url: 'http://127.0.0.1:9/' } })
  const { data: order } = await client.placeOrder({ body: { petId } })
  const { data: pet } = await client.createPet({ body: { name: 'P', categoryId } })
  const [webhookId, orderId] = [webhook.id, order.id ?? 0n]
  const etagOf = async (reading: Promise<{ headers: Headers }>): Promise<{ ifMatch: string }> => ({
    ifMatch: (await reading).headers.get('etag') ?? '',
  })
  const ofCategory = await etagOf(client.getCategory({ categoryId: empty.id }))
  const ofWebhook = await etagOf(client.getWebhook({ webhookId }))
  const ofOrder = await etagOf(client.getOrder({ orderId }))
  const ofPet = await etagOf(client.getPet({ petId: pet.id }))
  const races = {
    category: [
      client.updateCategory({ categoryId: empty.id, body: { name: 'Changed' } }),
      client.deleteCategory({ categoryId: empty.id }, ofCategory),
    ],
    webhook: [
      client.updateWebhook({ webhookId, body: { types: ['petstore.pet.created'] } }),
      client.deleteWebhook({ webhookId }, ofWebhook),
    ],
    order: [
      client.updateOrder({ orderId, body: { reference: 'changed' } }),
      client.cancelOrder({ orderId }, ofOrder),
    ],
    pet: [
      client.updatePet({ petId: pet.id, body: { name: 'Changed' } }),
      client.deletePet({ petId: pet.id }, ofPet),
    ],
  }
  const outcomes = await Promise.all(
    Object.entries(races).map(async ([name, calls]) => ({ name, counts: await countOutcomes(calls) })),
  )
  // If the change came first, the webhook is still there, and a store has at most 100.
  await client.deleteWebhook({ webhookId }).catch(() => {})
  return outcomes.filter(({ counts }) => counts['200'] && counts['204']).map(({ name }) => name)
}

/** Lets all admin keys revoke each other at once. Returns a fault if none is left, or if an outcome is not allowed. */
async function revokeEachOther({ client, base, engine, database }: TestStore): Promise<string[]> {
  await ensureAdminKey(engine, ADMIN_KEY, Date.now)
  const { data: first } = await client.getCurrentKey({})
  for (const { id } of (await client.listKeys({})).data.items)
    if (id !== first.id) await client.revokeKey({ keyId: id })
  const admins = [{ id: first.id, key: ADMIN_KEY }]
  while (admins.length < ADMINS)
    admins.push((await client.createKey({ body: { name: 'owner', scopes: ['admin'] } })).data)
  const outcomes = await countOutcomes(
    admins.map(({ key }, index) =>
      makeClient({ base, key }).revokeKey({ keyId: admins[(index + 1) % ADMINS]?.id ?? 0n }),
    ),
  )
  const left = await database('SELECT id FROM api_key WHERE revoked_at IS NULL')
  const allowed = ['204', '401 invalid_token', '409 last_admin_key']
  if (left.length > 0 && Object.keys(outcomes).every(outcome => allowed.includes(outcome))) return []
  return [`${left.length} of ${ADMINS} admin keys are left after ${JSON.stringify(outcomes)}`]
}

onEveryEngine(engine => {
  test(
    `the store never oversells the last units to ${BUYERS} concurrent buyers, and wrongly refuses none of them`,
    async () => {
      await using store = await openTestStore(engine)
      for (let round = 0; round < ROUNDS; round++)
        expect(await sellOut(store, 1 + (round % 5), BUYERS)).toEqual([])
      expect(await violatedInvariants(store)).toEqual([])
      recordSoak({
        guarantee: 1,
        engine,
        summary: `${ROUNDS} rounds of ${BUYERS} buyers: 0 oversold, 0 wrongly refused`,
      })
    },
    TIMEOUT_MS,
  )

  test(
    'concurrent cancellations, completions and new orders of one pet all end with an allowed outcome',
    async () => {
      await using store = await openTestStore(engine)
      for (let round = 0; round < ROUNDS; round++) expect(await settleAtOnce(store)).toEqual([])
      expect(await violatedInvariants(store)).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    'concurrent creations, orders, moves and deletions leave no orphan and no wrong count',
    async () => {
      await using store = await openTestStore(engine)
      for (let round = 0; round < ROUNDS; round++) expect(await createWhileDeleting(store)).toEqual([])
      expect(await violatedInvariants(store)).toEqual([])
      recordSoak({ guarantee: 14, engine, summary: `${ROUNDS} rounds: 0 orphans, 0 wrong counts` })
    },
    TIMEOUT_MS,
  )

  test(
    'a change and a concurrent deletion with If-Match never both succeed',
    async () => {
      await using store = await openTestStore(engine)
      for (let round = 0; round < ROUNDS; round++) expect(await deleteWhileChanging(store)).toEqual([])
      expect(await violatedInvariants(store)).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    'a count with If-Match is never made after another change of the stock',
    async () => {
      await using store = await openTestStore(engine)
      const { client } = store
      for (let round = 0; round < ROUNDS; round++) {
        const { petId } = await makePet(client, { quantity: 5n })
        const ifMatch = (await client.getInventoryItem({ petId })).etag ?? ''
        const place = () => client.placeOrder({ body: { petId } })
        const [counted] = await Promise.all([
          countOutcomes([client.setInventory({ petId, body: { quantity: 7n } }, { ifMatch })]),
          ...Array.from({ length: 3 }, place),
        ])
        const rows = await store.database(
          `SELECT reason FROM movement WHERE pet_id = ${petId} ORDER BY version`,
        )
        const reasons = rows.map(({ reason }) => reason)
        const isFirst = reasons.lastIndexOf('count') < reasons.indexOf('order')
        if (counted['200']) expect([round, reasons, isFirst]).toEqual([round, reasons, true])
      }
    },
    TIMEOUT_MS,
  )

  test(
    'admin keys that revoke each other at once never leave the store without an admin key',
    async () => {
      await using store = await openTestStore(engine)
      for (let round = 0; round < ROUNDS; round++) expect(await revokeEachOther(store)).toEqual([])
    },
    TIMEOUT_MS,
  )
})

for (const isolation of ['REPEATABLE READ', 'SERIALIZABLE'] as const) {
  test.skipIf(!testedEngines.includes('postgres'))(
    `races for the last units, on deleted resources and of admin keys have only allowed outcomes at ${isolation}`,
    async () => {
      await using store = await openTestStore('postgres', { isolation })
      for (let round = 0; round < ISOLATED_ROUNDS; round++) {
        expect(await sellOut(store, 1 + (round % 3), 6)).toEqual([])
        expect(await createWhileDeleting(store)).toEqual([])
      }
      for (let round = 0; round < ISOLATED_ROUNDS; round++) expect(await revokeEachOther(store)).toEqual([])
      expect(await violatedInvariants(store)).toEqual([])
      const summary = `${ISOLATED_ROUNDS} rounds of the last units, and of races on category and pet: 0 wrong`
      recordSoak({ guarantee: 1, engine: `postgres ${isolation}`, summary })
    },
    TIMEOUT_MS,
  )
}

test.skipIf(!testedEngines.includes('postgres'))(
  'control: an order that reads the stock and then writes it is detected',
  async () => {
    await using store = await openTestStore('postgres', { executeCommand: performReadThenWrite, isolation })
    const broken: string[] = []
    for (let round = 0; round < 5 && broken.length === 0; round++)
      broken.push(...(await sellOut(store, 3, BUYERS)))
    expect(broken.length).toBeGreaterThan(0)
    expect(await violatedInvariants(store)).toContainEqual(
      expect.stringContaining('reserved is the sum of the open orders'),
    )
  },
  TIMEOUT_MS,
)

test.skipIf(!testedEngines.includes('postgres'))(
  'control: a pet creation that only reads its category is detected',
  async () => {
    await using store = await openTestStore('postgres', { executeCommand: performReferenceByRead, isolation })
    for (let round = 0; round < ROUNDS; round++) await createWhileDeleting(store)
    const broken = (await violatedInvariants(store)).join('; ')
    expect(broken).toMatch(/every pet has its category|a category counts its pets/)
  },
  TIMEOUT_MS,
)
