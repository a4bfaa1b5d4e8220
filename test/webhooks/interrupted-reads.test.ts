import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import type { Reader } from '../../src/database/engine.ts'
import type { ParametersOf, Statement } from '../../src/database/statement.ts'
import { systemCommand } from '../../src/shop/registry/commands.ts'
import { storedInstant } from '../../src/values/instant.ts'
import { DAY_MS } from '../../src/values/time-zone.ts'
import { importCategories } from '../support/busy-shop.ts'
import { testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { headOf } from '../support/received-events.ts'
import { heldReply, openReceiver, reply } from '../support/receiver.ts'
import { onEveryEngine, openTestStore, type TestOptions, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import {
  createWebhook,
  deliveriesOf,
  emitEvents,
  namesIn,
  waitForDeliveries,
} from '../support/webhook-receipts.ts'

/** Far less than the interval at which the dispatcher and the senders poll. */
const SOON_MS = 5000

/** The statements of the dispatcher and of the senders, each a part of its text. */
const FREE_WEBHOOKS = 'FROM webhook WHERE enabled = 1 AND (leased_by IS NULL'
const RECEIVER = 'FROM webhook WHERE id = $webhookId AND enabled = 1'
const DUE_DELIVERIES = `state = 'pending' ORDER BY next_at`

/** The next read of a statement, and what happens between its end and the use of its result. */
interface Watch {
  readonly text: string
  readonly then: (row: unknown) => Promise<void> | void
}

/** Returns the options of a store whose reads a test can watch, and a function that watches one statement once. */
function watchedReads(): { options: TestOptions; onNext: (text: string, then: Watch['then']) => void } {
  let watch: Watch | undefined
  const pass = async <Result>(text: string, result: Result): Promise<Result> => {
    const given = plain(text)
    if (watch === undefined || !given.includes(plain(watch.text))) return result
    const { then } = watch
    watch = undefined
    await then(result)
    return result
  }
  const watched = (reader: Reader): Reader => ({
    one: async <Row, Name extends string>(
      statement: Statement<Row, Name>,
      ...parameters: ParametersOf<Name>
    ): Promise<Row | undefined> => pass(statement.text, await reader.one(statement, ...parameters)),
    many: async <Row, Name extends string>(
      statement: Statement<Row, Name>,
      ...parameters: ParametersOf<Name>
    ): Promise<Row[]> => pass(statement.text, await reader.many(statement, ...parameters)),
  })
  return {
    options: {
      wrapEngine: engine => ({
        ...engine,
        readShort: work => engine.readShort(reader => work(watched(reader))),
      }),
    },
    onNext: (text, then) => {
      watch = { text, then }
    },
  }
}

/** Returns a statement with single spaces, and without the names and the numbers of its parameters. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[$?]\w+/g, '?')
}

/** Returns a promise and the function that resolves it. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: () => resolve() }
}

/** Waits until the process has handled the end of each command that was committed before. */
async function settle(store: TestStore): Promise<void> {
  await emitEvents(store, 'Settled')
}

onEveryEngine(engine => {
  test('a webhook that is created during a check of the dispatcher gets its first event at once', async () => {
    const { options, onNext } = watchedReads()
    const [first, read, created] = [gate(), gate(), gate()]
    onNext(FREE_WEBHOOKS, first.open)
    await using store = await openTestStore(engine, options)
    await using receiver = await openReceiver()
    await first.passed
    await settle(store)
    // Nothing is sent to this webhook, because the outcome of an attempt would cause another check.
    const earlier = await createWebhook(store, receiver, ['petstore.category.deleted'])
    const isLeased = async () =>
      (await store.database('SELECT leased_by AS owner FROM webhook'))[0]?.owner !== null
    await until('the earlier webhook is leased', isLeased, SOON_MS)
    // The check after this change finds no free webhook.
    onNext(FREE_WEBHOOKS, async () => {
      read.open()
      await created.passed
    })
    await store.client.updateWebhook({ ...earlier, body: { description: 'Changed' } })
    await read.passed
    await using other = await openReceiver()
    await createWebhook(store, other)
    created.open()
    await emitEvents(store, 'First')
    await until('the event has arrived', () => other.received.length === 1, SOON_MS)
  })

  test('a webhook that is created before a check that fails gets its first event after the next change', async () => {
    const { options, onNext } = watchedReads()
    const [read, failed] = [gate(), gate()]
    onNext(FREE_WEBHOOKS, read.open)
    await using store = await openTestStore(engine, options)
    await using receiver = await openReceiver()
    await read.passed
    await settle(store)
    onNext(FREE_WEBHOOKS, () => {
      failed.open()
      throw new Error('the database is not available')
    })
    await createWebhook(store, receiver)
    await failed.passed
    await emitEvents(store, 'First')
    await until('the event has arrived', () => receiver.received.length === 1, SOON_MS)
  })

  test('a webhook that is disabled and enabled during an attempt continues when the attempt ends', async () => {
    const { options, onNext } = watchedReads()
    const held = heldReply()
    const stopped = gate()
    await using store = await openTestStore(engine, options)
    await using receiver = await openReceiver((_, index) => (index === 0 ? held.respond : reply(204)))
    const webhook = await createWebhook(store, receiver)
    await emitEvents(store, 'Held')
    await receiver.waitForRequests(1)
    const onReceiver = (row: unknown): void =>
      row === undefined ? stopped.open() : onNext(RECEIVER, onReceiver)
    onNext(RECEIVER, onReceiver)
    await store.client.updateWebhook({ ...webhook, body: { enabled: false } })
    await emitEvents(store, 'Meanwhile')
    await stopped.passed
    await store.client.updateWebhook({ ...webhook, body: { enabled: true } })
    const isLeased = async () =>
      (await store.database('SELECT leased_by AS owner FROM webhook'))[0]?.owner !== null
    await until('the webhook is leased again', isLeased, SOON_MS)
    held.release(204)
    await until('the next event has arrived', () => namesIn(receiver).includes('Meanwhile'), SOON_MS)
  })

  test('an event that has a delivery is not sent again by a later sender that begins before it', async () => {
    const { options, onNext } = watchedReads()
    const stopped = gate()
    await using store = await openTestStore(engine, options)
    await using receiver = await openReceiver()
    const webhook = await createWebhook(store, receiver, ['petstore.category.created'])
    await emitEvents(store, 'First', 'Second')
    await waitForDeliveries(store, webhook, 'delivered', 2)
    const onReceiver = (row: unknown): void =>
      row === undefined ? stopped.open() : onNext(RECEIVER, onReceiver)
    onNext(RECEIVER, onReceiver)
    await store.client.updateWebhook({ ...webhook, body: { enabled: false } })
    await emitEvents(store, 'Third')
    await stopped.passed
    // The progress of a sender whose first attempt has no outcome: the outcomes of later events are stored.
    await store.database('UPDATE webhook SET position = 0')
    await store.client.updateWebhook({ ...webhook, body: { enabled: true } })
    await until('the next event has arrived', () => namesIn(receiver).includes('Third'), SOON_MS)
    expect(namesIn(receiver)).toEqual(['First', 'Second', 'Third'])
  })

  test('an event of a type that was added during a read is sent', async () => {
    const { options, onNext } = watchedReads()
    await using store = await openTestStore(engine, options)
    await using receiver = await openReceiver()
    const webhook = await createWebhook(store, receiver, ['petstore.category.deleted'])
    await until('the webhook is leased', async () => {
      const [row] = await store.database('SELECT leased_by AS owner FROM webhook')
      return row?.owner !== null
    })
    onNext(RECEIVER, async () => {
      await store.client.updateWebhook({ ...webhook, body: { types: ['petstore.category.created'] } })
      await emitEvents(store, 'Added')
    })
    await emitEvents(store, 'Before')
    await until('the event has arrived', () => namesIn(receiver).includes('Added'), SOON_MS)
  })

  test('a retry whose attempt ends during a check for due deliveries is not sent twice', async () => {
    const { options, onNext } = watchedReads()
    const held = heldReply()
    await using store = await openTestStore(engine, { ...options, delivery: { retryDelaysMs: [20] } })
    await using receiver = await openReceiver(({ body }, index) => {
      if (String(body).includes('"Twice"')) return index === 1 ? reply(500) : held.respond
      return reply(204)
    })
    const webhook = await createWebhook(store, receiver)
    await emitEvents(store, 'Other')
    const [other] = await waitForDeliveries(store, webhook, 'delivered')
    await emitEvents(store, 'Twice')
    await receiver.waitForRequests(3)
    onNext(DUE_DELIVERIES, async () => {
      held.release(204)
      const isDelivered = async () => (await deliveriesOf(store, webhook))[1]?.state === 'delivered'
      await until('the retry has ended', isDelivered, SOON_MS)
      await settle(store)
    })
    await store.client.redeliver({ ...webhook, deliveryId: other?.id ?? 0n })
    await until(
      'the redelivery has arrived',
      () => namesIn(receiver).filter(name => name === 'Other').length === 2,
    )
    await emitEvents(store, 'Last')
    await until('the last event has arrived', () => namesIn(receiver).includes('Last'))
    expect(namesIn(receiver).filter(name => name === 'Twice')).toHaveLength(2)
  })

  test('a retry that is stored during a check for due deliveries is made when it is due', async () => {
    const { options, onNext } = watchedReads()
    const [late, again] = [heldReply(), heldReply()]
    await using store = await openTestStore(engine, { ...options, delivery: { retryDelaysMs: [20] } })
    // The requests are: the other event, its redelivery, and the late event.
    await using receiver = await openReceiver((_, index) =>
      index === 1 ? again.respond : index === 2 ? late.respond : reply(204),
    )
    const webhook = await createWebhook(store, receiver)
    await emitEvents(store, 'Other')
    const [other] = await waitForDeliveries(store, webhook, 'delivered')
    const redeliver = () => store.client.redeliver({ ...webhook, deliveryId: other?.id ?? 0n })
    await redeliver()
    await until('the redelivery has started', () => receiver.received.length === 2, SOON_MS)
    await emitEvents(store, 'Late')
    await receiver.waitForRequests(3)
    // The check after this request finds only the redelivery in progress.
    onNext(DUE_DELIVERIES, async () => {
      late.release(500)
      await until('the retry is stored', async () => (await deliveriesOf(store, webhook)).length > 1)
      await settle(store)
    })
    await redeliver()
    const retried = () => namesIn(receiver).filter(name => name === 'Late').length === 2
    await until('the retry has arrived', retried, SOON_MS)
    again.release(204)
  })

  test('an event is sent soon after a failed read of the store, although nothing else happens', async () => {
    const { options, onNext } = watchedReads()
    await using store = await openTestStore(engine, options)
    await using receiver = await openReceiver()
    await createWebhook(store, receiver)
    await emitEvents(store, 'First')
    await receiver.waitForRequests(1)
    onNext(RECEIVER, () => {
      throw new Error('the database is not available')
    })
    await emitEvents(store, 'Second')
    await until('the event has arrived', () => namesIn(receiver).includes('Second'), SOON_MS)
  })

  test('a webhook for a rare type stores its progress after a thousand other events', async () => {
    await using store = await openTestStore(engine)
    await using receiver = await openReceiver()
    await createWebhook(store, receiver, ['petstore.category.deleted'])
    await importCategories(store.client, 1100)
    const progress = async () => Number((await store.database('SELECT position FROM webhook'))[0]?.position)
    await until('the progress is stored', async () => (await progress()) >= 1000, SOON_MS)
  })

  test('an event with a time before the creation of its webhook is sent if it came later', async () => {
    let aheadMs = 0
    await using store = await openTestStore(engine, { clock: () => Date.now() + aheadMs })
    await using receiver = await openReceiver()
    await createWebhook(store, receiver)
    await emitEvents(store, 'First')
    await receiver.waitForRequests(1)
    aheadMs = -DAY_MS / 24
    await emitEvents(store, 'Second')
    await until('the event has arrived', () => namesIn(receiver).includes('Second'), SOON_MS)
  })

  test('a webhook whose next events were deleted continues with the first event that is left', async () => {
    let aheadMs = 0
    await using store = await openTestStore(engine, { clock: () => Date.now() + aheadMs })
    await using receiver = await openReceiver()
    const webhook = await createWebhook(store, receiver, ['petstore.category.created'])
    await store.client.updateWebhook({ ...webhook, body: { enabled: false } })
    await emitEvents(store, 'Deleted')
    await headOf(store)
    aheadMs = DAY_MS
    await emitEvents(store, 'Left')
    await headOf(store)
    const before = storedInstant(Date.now() + DAY_MS / 2)
    await store.engine.execute(systemCommand('sweepEvents', { before }, before, 'test'))
    await store.client.updateWebhook({ ...webhook, body: { enabled: true } })
    await until('the event has arrived', () => receiver.received.length > 0, SOON_MS)
    expect(namesIn(receiver)).toEqual(['Left'])
  })

  test('a delivery whose event has been deleted fails, and is not attempted again', async () => {
    let aheadMs = 0
    await using store = await openTestStore(engine, {
      delivery: { retryDelaysMs: [DAY_MS, DAY_MS], leaseMs: 150 },
      clock: () => Date.now() + aheadMs,
    })
    await using receiver = await openReceiver(() => reply(500))
    const webhook = await createWebhook(store, receiver)
    await emitEvents(store, 'Deleted')
    await waitForDeliveries(store, webhook, 'pending')
    await store.database(`DELETE FROM event WHERE type = 'petstore.category.created'`)
    aheadMs = 2 * DAY_MS
    const state = async () => (await deliveriesOf(store, webhook))[0]?.state
    await until('the delivery has failed', async () => (await state()) === 'failed', SOON_MS)
    expect(receiver.received).toHaveLength(1)
  })
})

test.skipIf(!testedEngines.includes('postgres'))(
  'a process that stops releases its webhooks, so that another process sends their events at once',
  async () => {
    const databaseUrl = await newDatabase()
    await using receiver = await openReceiver()
    {
      await using store = await openTestStore('postgres', { databaseUrl })
      await createWebhook(store, receiver)
      await emitEvents(store, 'First')
      await receiver.waitForRequests(1)
    }
    await using pool = new SQL({ url: databaseUrl, bigint: true, max: 1 })
    expect([...(await pool`SELECT leased_by AS owner FROM webhook`)]).toEqual([{ owner: null }])
  },
)
