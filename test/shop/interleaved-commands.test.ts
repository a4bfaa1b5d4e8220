import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Tx } from '../../src/database/engine.ts'
import { ForwardingTx } from '../../src/database/forwarding-tx.ts'
import type { ParametersOf, Statement } from '../../src/database/statement.ts'
import { findLogBounds } from '../../src/shop/log/bounds.ts'
import { countOf, systemCommand } from '../../src/shop/registry/commands.ts'
import { executeCommand } from '../../src/shop/registry/run.ts'
import { testedEngines } from '../support/engines.ts'
import { headOf } from '../support/received-events.ts'
import { makePet, stockOf } from '../support/shop.ts'
import { codeOf, openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

/** Waits for `onStatement` before each statement that returns a row or a number of rows. */
class WatchedTx extends ForwardingTx {
  readonly #onStatement: (text: string) => Promise<void>

  constructor(tx: Tx, onStatement: (text: string) => Promise<void>) {
    super(tx)
    this.#onStatement = onStatement
  }

  override async one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<Row | undefined> {
    await this.#onStatement(statement.text)
    return super.one(statement, ...parameters)
  }

  override async run<Name extends string>(
    statement: Statement<unknown, Name>,
    ...parameters: ParametersOf<Name>
  ): Promise<number> {
    await this.#onStatement(statement.text)
    return super.run(statement, ...parameters)
  }
}

interface Interruption {
  /** The statement before which another command runs: a part of its text. */
  readonly before: string
  /** The other command. It is committed before the statement. */
  readonly run: () => Promise<unknown>
}

let next: Interruption | undefined
let store: TestStore

/** Interrupts the next command that reaches a statement with this text, once: another command runs before it. */
function interrupt(before: string, run: Interruption['run']): void {
  next = { before, run }
}

async function onStatement(text: string): Promise<void> {
  if (next === undefined || !text.replaceAll(/\s+/g, ' ').includes(next.before)) return
  const { run } = next
  next = undefined
  await run()
}

const hasPostgres = testedEngines.includes('postgres')
const onPostgres = test.skipIf(!hasPostgres)

/** Opens a store in which a statement sees what another command has committed since the transaction began. */
function openInterruptible(): Promise<TestStore> {
  return openTestStore('postgres', {
    isolation: 'READ COMMITTED',
    executeCommand: (tx, command) => executeCommand(new WatchedTx(tx, onStatement), command),
  })
}

beforeAll(async () => {
  if (!hasPostgres) return
  store = await openInterruptible()
})

afterAll(async () => {
  if (hasPostgres) await store[Symbol.asyncDispose]()
})

afterEach(async () => {
  if (!hasPostgres) return
  expect(next?.before).toBeUndefined()
  expect(await violatedInvariants(store)).toEqual([])
})

onPostgres('a count sets the quantity that was counted, although a sale is committed meanwhile', async () => {
  const { client } = store
  const { petId } = await makePet(client, { quantity: 9n })
  interrupt('UPDATE pet SET quantity', () => client.placeOrder({ body: { petId, complete: true } }))
  expect((await client.setInventory({ petId, body: { quantity: 5n } })).data.quantity).toBe(5n)
  expect(await stockOf(client, petId)).toBe('available 5/0')
})

onPostgres('a change of a pet, or its deletion, sees a count that is committed meanwhile', async () => {
  const { client } = store
  const { petId } = await makePet(client, { quantity: 2n })
  interrupt('UPDATE pet SET name', () => client.setInventory({ petId, body: { quantity: 5n } }))
  await client.updatePet({ petId, body: { name: 'Renamed' } })
  expect(await stockOf(client, petId)).toBe('available 5/0')
  interrupt('DELETE FROM pet', () => client.setInventory({ petId, body: { quantity: 8n } }))
  expect((await client.deletePet({ petId })).status).toBe(204)
  const [closing] = await store.database(
    `SELECT quantity_change FROM movement WHERE pet_id = ${petId} AND reason = 'closing'`,
  )
  expect(closing).toEqual({ quantity_change: -8n })
})

onPostgres(
  'a change of an order, or its cancellation, sees a change that is committed meanwhile',
  async () => {
    const { client } = store
    const { petId, orderId } = await makePet(client, { quantity: 9n, reserved: 1n })
    const changeTo = (quantity: bigint) => client.updateOrder({ orderId, body: { quantity } })
    interrupt('UPDATE orders', () => changeTo(3n))
    await changeTo(2n)
    expect(await stockOf(client, petId)).toBe('available 9/2')
    interrupt('DELETE FROM orders', () => changeTo(4n))
    expect((await client.cancelOrder({ orderId })).status).toBe(204)
    expect(await stockOf(client, petId)).toBe('available 9/0')
  },
)

onPostgres('an order is placed if its units become free before it would be refused', async () => {
  const { client } = store
  const { petId, orderId } = await makePet(client, { quantity: 1n, reserved: 1n })
  interrupt('FROM pet WHERE id', () => client.cancelOrder({ orderId }))
  expect((await client.placeOrder({ body: { petId } })).status).toBe(201)
  expect(await stockOf(client, petId)).toBe('pending 1/1')
})

// Both statements that change the stock have the status in their conditions: a change between them makes them match no
// row.
onPostgres(
  'a cancellation releases its units, although the status of the pet changes meanwhile',
  async () => {
    const { client } = store
    const { petId, orderId } = await makePet(client, { quantity: 1n, reserved: 1n })
    interrupt('AND status <> CASE', () => client.setInventory({ petId, body: { quantity: 2n } }))
    expect((await client.cancelOrder({ orderId })).status).toBe(204)
    expect(await stockOf(client, petId)).toBe('available 2/0')
  },
)

onPostgres('an adjustment is made, although the status of the pet changes meanwhile', async () => {
  const { client } = store
  const { petId } = await makePet(client, { quantity: 2n, reserved: 1n })
  interrupt('AND status <> CASE', () => client.updatePet({ petId, body: { status: 'pending' } }))
  expect((await client.adjustInventory({ petId, body: { quantityChange: -1n } })).data.quantity).toBe(1n)
  expect(await stockOf(client, petId)).toBe('pending 1/1')
})

onPostgres(
  'an order that makes a count or an import impossible meanwhile is named as what it is',
  async () => {
    const { client } = store
    const { data: category } = await client.createCategory({ body: { name: 'Imported' } })
    const { data: pet } = await client.createPet({ body: { name: 'Raced', categoryId: category.id } })
    const petId = pet.id
    const reserve = (quantity: bigint) => client.placeOrder({ body: { petId, quantity } })
    const load = async (importId: bigint, quantity: bigint) => {
      const row = { line: 2n, name: 'Raced', category: 'Imported', quantity, hold: false }
      await client.stageImport({ importId, body: { categories: [], pets: [row] } })
      const body = { begins: true, rows: 500n, onExisting: 'set' as const }
      return (await client.loadImportSlice({ importId, body })).data
    }
    await client.setInventory({ petId, body: { quantity: 9n } })
    const { etag = '' } = await client.getInventoryItem({ petId })
    interrupt('UPDATE pet SET quantity', () => reserve(2n))
    expect(await codeOf(client.setInventory({ petId, body: { quantity: 1n } }, { ifMatch: etag }))).toBe(
      '412 precondition_failed',
    )
    interrupt('UPDATE pet SET quantity', () => reserve(2n))
    expect(await load(901n, 3n)).toMatchObject({ petsUpdated: 0n, problems: [{ line: 2n }] })
    expect(await load(902n, 20n)).toMatchObject({ petsUpdated: 1n, problems: [] })
    interrupt('UPDATE pet SET quantity', () => reserve(10n))
    const { data: back } = await client.takeBackImport({ importId: 902n, body: { dryRun: false, rows: 10n } })
    expect(back).toMatchObject({ takenBack: 0n, kept: [{ id: petId, reason: 'changed' }] })
    expect(await stockOf(client, petId)).toBe('available 20/14')
    const { data: gone } = await client.createCategory({ body: { name: 'Going' } })
    const row = { line: 2n, name: 'Late', category: 'Going', quantity: 1n, hold: false }
    await client.stageImport({ importId: 903n, body: { categories: [], pets: [row] } })
    interrupt('UPDATE category SET pet_count', () => client.deleteCategory({ categoryId: gone.id }))
    const { data: late } = await client.loadImportSlice({ importId: 903n, body: { begins: true, rows: 9n } })
    expect(late).toMatchObject({ petsCreated: 0n, problems: [{ line: 2n }] })
    const categories = [{ line: 2n, name: 'Loaded' }]
    await client.stageImport({ importId: 904n, body: { categories, pets: [] } })
    await client.loadImportSlice({ importId: 904n, body: { begins: true, rows: 9n } })
    const [loaded] = (await client.listCategories({ name: 'Loaded' })).data.items
    const categoryId = loaded?.id ?? 0n
    const read = 'pet_count AS "petCount" FROM category WHERE id'
    // Between the two reads of the category.
    const rename = () => client.updateCategory({ categoryId, body: { name: 'Renamed' } })
    interrupt(read, async () => interrupt(read, rename))
    const { data: rest } = await client.takeBackImport({ importId: 904n, body: { dryRun: false, rows: 9n } })
    expect(rest).toMatchObject({ takenBack: 0n, kept: [{ id: categoryId, reason: 'changed' }] })
  },
)

onPostgres('a deletion of a category sees a change that is committed meanwhile', async () => {
  const { client } = store
  const makeEmpty = async () => {
    const { data, etag } = await client.createCategory({ body: { name: 'Empty' } })
    interrupt('DELETE FROM category', () =>
      client.updateCategory({ categoryId: data.id, body: { name: 'Changed' } }),
    )
    return { categoryId: data.id, ifMatch: etag ?? '' }
  }
  const { categoryId, ifMatch } = await makeEmpty()
  expect(await codeOf(client.deleteCategory({ categoryId }, { ifMatch }))).toBe('412 precondition_failed')
  const other = await makeEmpty()
  expect((await client.deleteCategory({ categoryId: other.categoryId })).status).toBe(204)
})

onPostgres('a change of a webhook keeps that it was disabled meanwhile', async () => {
  const { client } = store
  const { data } = await client.createWebhook({ body: { url: 'http://127.0.0.1:9/' } })
  const webhookId = data.id
  interrupt('UPDATE webhook SET url', () => client.updateWebhook({ webhookId, body: { enabled: false } }))
  await client.updateWebhook({ webhookId, body: { description: 'Till' } })
  expect((await client.getWebhook({ webhookId })).data).toMatchObject({ enabled: false, description: 'Till' })
})

onPostgres('two admin keys that revoke each other at once do not leave a store without one', async () => {
  const { client } = store
  const other = await store.clientWith('admin')
  const [first, second] = (await client.listKeys({})).data.items.map(({ id }) => id)
  const revoking: Promise<unknown>[] = []
  const isBlocked = async () =>
    (
      await store.database(`SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    ).length > 0
  // The second revocation waits for the lock of the first one. Without a lock, it would end here.
  interrupt('UPDATE api_key SET revoked_at', async () => {
    let hasEnded = false
    const revocation = codeOf(other.revokeKey({ keyId: first ?? 0n })).finally(() => {
      hasEnded = true
    })
    revoking.push(revocation)
    revocation.catch(() => {})
    await until('the second revocation waits or has ended', async () => hasEnded || (await isBlocked()))
  })
  await client.revokeKey({ keyId: second ?? 0n })
  expect(await Promise.all(revoking)).toEqual([
    expect.stringMatching(/^(401 invalid_token|409 last_admin_key)$/),
  ])
  expect((await client.listKeys({})).data.items.map(({ id }) => id)).toEqual([first ?? 0n])
})

onPostgres('a sweep does not set the floor back that another sweep has raised meanwhile', async () => {
  // The other tests need their events.
  await using swept = await openInterruptible()
  const { client } = swept
  for (const name of ['1', '2', '3']) await client.createCategory({ body: { name } })
  await headOf(swept)
  const { floor, head } = await swept.engine.readShort(findLogBounds)
  const at = async (position: bigint) =>
    String((await swept.database(`SELECT at FROM event WHERE position = ${position}`))[0]?.at)
  const sweep = async (before: string) =>
    countOf(await swept.engine.execute(systemCommand('sweepEvents', { before }, before, 'test')))
  const late = `${(await at(head)).slice(0, 4)}-12-31T23:59:59.999Z`
  await swept.database(`UPDATE event SET at = '2020-01-01T00:00:00.000Z' WHERE position = ${floor + 1n}`)
  interrupt('UPDATE chain_end SET position', () => sweep(late))
  expect(await sweep('2020-01-02T00:00:00.000Z')).toBe(0)
  expect((await swept.engine.readShort(findLogBounds)).floor).toBe(head)
})
