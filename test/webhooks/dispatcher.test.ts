import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { ApiError } from '../../src/client/errors.ts'
import type { Client } from '../support/client.ts'
import { testedEngines } from '../support/engines.ts'
import type { ServerProcess } from '../support/process.ts'
import { eventRows, faultsOf } from '../support/received-events.ts'
import { openReceiver, type Receiver, reply, silence } from '../support/receiver.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { onEveryEngine, openTestStore } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'
import {
  arrivals,
  createWebhook,
  emitEvents,
  eventIn,
  inOrder,
  namesIn,
  noRequest,
} from '../support/webhook-receipts.ts'

const KILLS = times(2, 100)
const WRITERS = 4
const IN_FLIGHT_MAX = 4
const TIMEOUT_MS = timeLimitMs(120_000)
const CONTROL = fileURLToPath(new URL('../controls/position-at-lease-server.ts', import.meta.url))

/**
 * Returns the faults in the events that a receiver got, compared with the events since the webhook was created. An
 * event can be missing, altered, or not identical at each attempt. Returns [] if there are no faults.
 */
async function faultsAt(place: StoreDirectory, receiver: Pick<Receiver, 'received'>): Promise<string[]> {
  const rows = await eventRows(place)
  const creationPosition = rows.find(({ type }) => type === 'petstore.webhook.created')?.position ?? 0n
  const bodies = new Map<string, string>()
  const faults: string[] = []
  for (const request of receiver.received) {
    const { id } = eventIn(request)
    const body = request.body.toString('utf8')
    if (request.headers['webhook-id'] !== id) faults.push(`event ${id} arrived with another webhook-id`)
    if ((bodies.get(id) ?? body) !== body) faults.push(`event ${id} arrived with another body`)
    bodies.set(id, body)
  }
  const once = new Map(inOrder(arrivals(receiver)).map(received => [received.id, received]))
  const due = rows.filter(({ position }) => position !== null && position > creationPosition)
  return [...faults, ...faultsOf([...once.values()], due)]
}

function repeatsAt(receiver: Receiver): number {
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  return ids.length - new Set(ids).size
}

/** Starts writers that continue until `stop` is called, across restarts of the server. */
function keepWriting(client: Client): { stop: () => Promise<void> } {
  let isOver = false
  const write = async (writer: number): Promise<void> => {
    for (let count = 0; !isOver; ) {
      try {
        await client.createCategory({ body: { name: 'Any' } }, { idempotencyKey: `${writer}-${count}` })
        count++
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) throw error
        await Bun.sleep(20)
      }
    }
  }
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
  return {
    stop: async () => {
      isOver = true
      await writing
    },
  }
}

/**
 * Returns a receiver that sends no response until the test calls `release`, which closes the open connections. Later
 * requests get 204.
 */
async function openHoldingReceiver(): Promise<{ receiver: Receiver; release: () => void }> {
  let isReleased = false
  const receiver = await openReceiver(() => (isReleased ? reply(204) : silence))
  return {
    receiver,
    release: () => {
      isReleased = true
      receiver.cutAll()
    },
  }
}

/** Kills the server during deliveries, continues with another server, and returns the faults. */
async function killDuringDeliveries(place: StoreDirectory, script?: string): Promise<string[]> {
  const { receiver, release } = await openHoldingReceiver()
  await using _closed = receiver
  {
    await using server = await place.start(script)
    await createWebhook({ client: place.client(server) }, receiver)
    await emitEvents(
      { client: place.client(server) },
      ...Array.from({ length: 10 }, (_, index) => `${index}`),
    )
    await receiver.waitForRequests(IN_FLIGHT_MAX)
    await server.kill('SIGKILL')
  }
  const unanswered = receiver.received.length
  release()
  await place.endLeases()
  await using server = await place.start(script)
  await emitEvents({ client: place.client(server) }, 'The last')
  await until('all events are processed', () => isAtHead(place))
  return faultsAt(place, { received: receiver.received.slice(unanswered) })
}

/** Returns whether the position of the webhook has reached the head. */
async function isAtHead(place: StoreDirectory): Promise<boolean> {
  const [row] =
    await place.database(`SELECT webhook.position = chain_end.position AS done FROM webhook, chain_end
    WHERE name = 'head'`)
  return row?.done === true || row?.done === 1n
}

async function deliveredCount(place: StoreDirectory): Promise<number> {
  const [row] = await place.database(`SELECT count(*) AS n FROM delivery WHERE state = 'delivered'`)
  return Number(row?.n)
}

function distinctCount(receiver: Receiver): number {
  return receiver.received.length - repeatsAt(receiver)
}

onEveryEngine(engine => {
  test(
    `each event arrives, identical at each attempt, although kill -9 ends the server ${KILLS} times during deliveries`,
    async () => {
      await using place = await newStoreDirectory(engine)
      await using receiver = await openReceiver()
      let server: ServerProcess = await place.start()
      try {
        await createWebhook({ client: place.client(server) }, receiver)
        const writing = keepWriting(place.client(server))
        for (let kill = 0; kill < KILLS; kill++) {
          const before = receiver.received.length
          await until('events arrive', () => receiver.received.length > before + 20 + ((kill * 37) % 90))
          await server.kill('SIGKILL')
          await place.endLeases()
          server = await place.start()
        }
        await writing.stop()
        await until('all events have arrived', () => isAtHead(place), timeLimitMs(120_000))
        expect(await faultsAt(place, receiver)).toEqual([])
        const repeats = repeatsAt(receiver)
        expect(repeats).toBeLessThanOrEqual(KILLS * IN_FLIGHT_MAX)
        const arrived = `${distinctCount(receiver)} events arrived, with ${repeats} repeats`
        const summary = `${KILLS} kills, ${arrived}: 0 missed, 0 altered`
        recordSoak({ guarantee: 15, engine, summary })
      } finally {
        await server.kill('SIGKILL')
      }
    },
    TIMEOUT_MS,
  )

  test('deliveries in progress at a kill are sent again, and the events after them arrive', async () => {
    await using place = await newStoreDirectory(engine)
    expect(await killDuringDeliveries(place)).toEqual([])
  }, 120_000)

  test('a graceful stop waits for a slow receiver: nothing is lost, and nothing arrives twice', async () => {
    await using place = await newStoreDirectory(engine)
    await using receiver = await openReceiver(() => socket => {
      const timer = setTimeout(() => reply(204)(socket, noRequest), 500)
      socket.on('close', () => clearTimeout(timer))
    })
    {
      await using server = await place.start()
      await createWebhook({ client: place.client(server) }, receiver)
      await emitEvents({ client: place.client(server) }, '1', '2', '3', '4', '5', '6')
      await receiver.waitForRequests(4)
      expect(await server.kill('SIGTERM')).toBe(0)
      expect(await deliveredCount(place)).toBe(4)
    }
    await using server = await place.start()
    await until('the rest has arrived', async () => (await deliveredCount(place)) === 6)
    expect([await faultsAt(place, receiver), receiver.received.length]).toEqual([[], 6])
    expect(server.logged()).toBe('')
  }, 120_000)
})

test('a stop does not wait for a silent receiver, and the next start sends its deliveries again', async () => {
  await using place = await newStoreDirectory('sqlite')
  const { receiver, release } = await openHoldingReceiver()
  await using _closed = receiver
  const stopStartedMs = await (async () => {
    await using server = await place.start()
    await createWebhook({ client: place.client(server) }, receiver)
    await emitEvents({ client: place.client(server) }, '1', '2')
    await receiver.waitForRequests(2)
    const startedMs = performance.now()
    expect(await server.kill('SIGTERM')).toBe(0)
    return startedMs
  })()
  expect(performance.now() - stopStartedMs).toBeLessThan(10_000)
  release()
  await using server = await place.start()
  await receiver.waitForRequests(4)
  expect([await faultsAt(place, receiver), repeatsAt(receiver)]).toEqual([[], 2])
  expect(server.logged()).toBe('')
}, 120_000)

test('a store whose leases cannot be released stops all the same, and closes its database', async () => {
  let isClosed = false
  const store = await openTestStore('sqlite', {
    wrapEngine: engine => ({
      ...engine,
      execute: async command => {
        if (command.id === 'releaseWebhooks') throw new Error('the disk is full')
        return await engine.execute(command)
      },
      close: async () => {
        isClosed = true
        await engine.close()
      },
    }),
  })
  await using receiver = await openReceiver()
  await createWebhook(store, receiver)
  await emitEvents(store, 'One')
  await receiver.waitForRequests(1)
  await store[Symbol.asyncDispose]()
  expect([isClosed, store.logged.filter(({ level }) => level === 'error').length]).toEqual([true, 1])
})

test('control: a webhook whose position moves to the head at its lease loses deliveries, and is detected', async () => {
  await using place = await newStoreDirectory('sqlite')
  expect(await killDuringDeliveries(place, CONTROL)).toEqual(['10 missed'])
}, 120_000)

describe.skipIf(!testedEngines.includes('postgres'))('two servers on one database', () => {
  test('one of two servers delivers, four at a time; after it is killed, the other delivers the rest', async () => {
    await using place = await newStoreDirectory('postgres')
    await using first = await place.start()
    let open = 0
    let openMax = 0
    await using receiver = await openReceiver(() => socket => {
      open++
      openMax = Math.max(openMax, open)
      let isOpen = true
      // The server may send the next request before this receiver sees that the previous connection is closed.
      const end = (): void => {
        if (isOpen) open--
        isOpen = false
      }
      socket.on('close', end)
      setTimeout(() => {
        end()
        reply(204)(socket, noRequest)
      }, 5)
    })
    await createWebhook({ client: place.client(first) }, receiver)
    await until('the webhook is leased', async () => (await leaseHolders(place)).length === 1)
    await using second = await place.startAnother()
    const both = [first, second].map(server => keepWriting(place.client(server)))
    await receiver.waitForRequests(50)
    const [holder] = await leaseHolders(place)
    await first.kill('SIGKILL')
    await both[0]?.stop()
    await place.endLeases()
    const before = receiver.received.length
    await receiver.waitForRequests(before + 20)
    await both[1]?.stop()
    await until('all events have arrived', () => isAtHead(place))
    expect(await faultsAt(place, receiver)).toEqual([])
    expect((await leaseHolders(place))[0]).not.toBe(holder ?? '')
    expect(openMax).toBeLessThanOrEqual(IN_FLIGHT_MAX)
    expect(repeatsAt(receiver)).toBeLessThanOrEqual(IN_FLIGHT_MAX)
  }, 120_000)

  test('a webhook created through one server gets exactly the later events of the other server', async () => {
    await using place = await newStoreDirectory('postgres')
    await using first = await place.start()
    await using second = await place.startAnother()
    await using receiver = await openReceiver()
    const throughFirst = { client: place.client(first) }
    const throughSecond = { client: place.client(second) }
    // Servers reserve ids in blocks, so later events of the first server have lower ids than those of the second.
    await emitEvents(throughFirst, 'Before')
    await emitEvents(throughSecond, 'Before')
    const { held } = await holdPositions(place, 'Release')
    await emitEvents(throughFirst, 'Still before')
    await createWebhook(throughSecond, receiver)
    await emitEvents(throughFirst, 'After', 'Release')
    await held
    await receiver.waitForRequests(2)
    // The position of this event is the last, so all other events have been processed once it has arrived.
    await emitEvents(throughFirst, 'Last')
    await receiver.waitForRequests(3)
    expect(namesIn(receiver)).toEqual(['After', 'Release', 'Last'])
  }, 120_000)
})

/** Holds back the positions of committed events until a category with this name exists. */
async function holdPositions(place: StoreDirectory, name: string): Promise<{ held: Promise<unknown> }> {
  const held = place.database(`DO $$ BEGIN
    UPDATE chain_end SET position = position WHERE name = 'head';
    FOR turn IN 1..2000 LOOP
      EXIT WHEN EXISTS (SELECT 1 FROM category WHERE name = '${name}');
      PERFORM pg_sleep(0.005);
    END LOOP; END $$`)
  const isHeld = `SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE datname = current_database() AND relation = 'chain_end'::regclass AND granted AND mode = 'RowExclusiveLock'`
  await until('positions are blocked', async () => (await place.database(isHeld)).length > 0)
  return { held }
}

async function leaseHolders(place: StoreDirectory): Promise<string[]> {
  const rows = await place.database('SELECT leased_by FROM webhook WHERE leased_by IS NOT NULL')
  return rows.map(({ leased_by }) => String(leased_by))
}

test('on SQLite, a commit that changes no webhook causes no read by the dispatcher', async () => {
  let reads = 0
  await using store = await openTestStore('sqlite', {
    wrapEngine: engine => ({
      ...engine,
      readShort: work => {
        reads++
        return engine.readShort(work)
      },
    }),
  })
  const signals: number[] = []
  store.engine.watch(commands => signals.push(commands))
  const commit = async (): Promise<void> => {
    await store.client.createCategory({ body: { name: 'Any' } })
    // The commit signal combines commits that are closer together.
    await Bun.sleep(30)
  }
  // The first command reads its key, and the store also reads while it starts.
  await commit()
  await commit()
  const before = reads
  for (let count = 0; count < 5; count++) await commit()
  expect(signals.length).toBeGreaterThanOrEqual(7)
  expect(reads).toBe(before)
})
