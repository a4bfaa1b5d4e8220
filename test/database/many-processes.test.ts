import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { readJson } from '../../src/contract/json-body.ts'
import { Event } from '../../src/shop/events/schema.ts'
import { Order, Sale } from '../../src/shop/orders/schema.ts'
import { makeClient } from '../support/client.ts'
import { testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { onPostgres, type ServerProcess, startProcess } from '../support/process.ts'
import {
  eventRows,
  faultsOf,
  headOf,
  inversionsOf,
  type ReceivedEvent,
  receivedEvent,
} from '../support/received-events.ts'
import { deadPort, openReceiver } from '../support/receiver.ts'
import { type Seeded, seeded } from '../support/seeded.ts'
import { makePet } from '../support/shop.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'
import { arrivals, createWebhook, inOrder } from '../support/webhook-receipts.ts'

const ROUNDS = times(4, 100)
const BUYERS = 12
const PETS = 5
/** The stock of each pet: less than the buyers ask for. */
const UNITS = times(60, 1500)
/** How long a process stays frozen: longer than PostgreSQL keeps an idle transaction open. */
const FROZEN_MS = 3000
const TIMEOUT_MS = timeLimitMs(180_000)

/** The processes of a store, some of which are dead or frozen at the moment. */
interface Processes {
  readonly place: StoreDirectory
  readonly servers: ServerProcess[]
}

/**
 * Sends one change, and repeats it with its Idempotency-Key on any process until one of them responds. Returns the body
 * of the response, or undefined if the stock, or what was sold, does not allow the change.
 */
async function change({ servers }: Processes, sent: Sent, random: Seeded): Promise<unknown> {
  for (;;) {
    const { base } = random.pick(servers)
    const response = await fetch(`${base}/store/${sent.path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${ADMIN_KEY}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': sent.key,
      },
      body: sent.body,
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined)
    if (response?.status === 409) return undefined
    if (response?.ok) return readJson(Buffer.from(await response.arrayBuffer()))
    if (response && response.status < 500)
      throw new Error(`HTTP ${response.status}: ${await response.text()}`)
    await Bun.sleep(50)
  }
}

interface Sent {
  readonly path: string
  readonly key: string
  readonly body: string
}

/** What the buyers got acknowledged. */
interface Purchases {
  /** The first order of each purchase of each buyer, in the order in which the buyer made them. */
  readonly chains: string[][]
  readonly orderIds: bigint[]
  readonly returnedUnits: bigint
}

/**
 * Buys until every pet is sold out: orders that stay open, sales, and sales of two pets. Some sales come back: into the
 * stock, where another buyer may buy them again.
 */
async function sellOut(processes: Processes, petIds: readonly bigint[]): Promise<Purchases> {
  const orderIds: bigint[] = []
  let returnedUnits = 0n
  const buy = async (buyer: number): Promise<string[]> => {
    const random = seeded(buyer)
    const left = [...petIds]
    const chain: string[] = []
    let sold: bigint[] = []
    for (let count = 0; left.length > 0; count++) {
      const petId = random.pick(left)
      const send = (path: string, body: string) =>
        change(processes, { path, body, key: `buyer-${buyer}-${count}` }, random)
      const roll = random.below(8)
      const [receipt] = sold
      if (roll === 0 && receipt !== undefined) {
        sold = sold.slice(1)
        const back = Sale.parse(await send(`sales/${receipt}/returns`, '{}'))
        for (const { quantity } of back.lines) returnedUnits -= quantity
      } else if (roll < 3) {
        const lines = [petId, random.pick(left)].map(id => `{"petId":${id}}`)
        const made = await send('sales', `{"lines":[${lines}]}`)
        if (made === undefined) continue
        const sale = Sale.parse(made)
        sold.push(sale.receipt)
        chain.push(`orders/${sale.receipt}`)
        orderIds.push(...sale.lines.map(({ orderId }) => orderId))
      } else {
        const made = await send('orders', `{"petId":${petId},"complete":${roll < 5}}`)
        if (made === undefined) left.splice(left.indexOf(petId), 1)
        else {
          const { id = 0n, receipt } = Order.parse(made)
          if (receipt !== undefined) sold.push(receipt)
          chain.push(`orders/${id}`)
          orderIds.push(id)
        }
      }
    }
    return chain
  }
  const chains = await Promise.all(Array.from({ length: BUYERS }, (_, buyer) => buy(buyer)))
  return { chains, orderIds, returnedUnits }
}

/**
 * Polls for events, each time from a random process. Call the returned function with the last position: it resolves to
 * all events once that position has arrived.
 */
function follow({ servers }: Processes): (last: bigint) => Promise<ReceivedEvent[]> {
  const received: ReceivedEvent[] = []
  const random = seeded(4711)
  let last: bigint | undefined
  const reached = (): bigint => received.at(-1)?.position ?? 0n
  const poll = async (): Promise<void> => {
    while (last === undefined || reached() < last) {
      const target = `${random.pick(servers).base}/events?after=${reached()}&limit=100`
      const response = await fetch(target, {
        headers: { Authorization: `Bearer ${ADMIN_KEY}` },
        signal: AbortSignal.timeout(3000),
      }).catch(() => undefined)
      if (response?.status === 200) {
        received.push(
          ...Event.array()
            .parse(readJson(Buffer.from(await response.arrayBuffer())))
            .map(receivedEvent),
        )
      }
      await Bun.sleep(20)
    }
  }
  const polling = poll()
  return async position => {
    last = position
    await polling
    return received
  }
}

/**
 * Kills or freezes a random process in each round, and replaces each killed one. After `ROUNDS` rounds, it continues
 * until the returned function is called. That function resolves to the numbers of kills and freezes.
 */
function disturb(processes: Processes, random: Seeded): () => Promise<{ kills: number; freezes: number }> {
  const { place, servers } = processes
  let isOver = false
  let kills = 0
  let freezes = 0
  const run = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS || !isOver; round++) {
      await Bun.sleep(200 + random.below(600))
      const index = random.below(servers.length)
      const victim = servers[index]
      if (!victim) return
      if (round % 2 === 0) {
        await victim.kill('SIGKILL')
        servers[index] = await place.startAnother()
        kills++
      } else {
        victim.signal('SIGSTOP')
        await Bun.sleep(FROZEN_MS)
        victim.signal('SIGCONT')
        freezes++
      }
    }
  }
  const running = run()
  return async () => {
    isOver = true
    await running
    return { kills, freezes }
  }
}

/** How often the load balancer checks which processes are ready. */
const CHECK_MS = 100

/** Opens a minimal load balancer: it sends each request once, to a process that is ready. */
function openLoadBalancer(bases: readonly string[]): AsyncDisposable & { readonly base: string } {
  let ready = [...bases]
  let turn = 0
  const check = async (): Promise<void> => {
    const answers = bases.map(base =>
      fetch(`${base}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    const isReady = await Promise.all(answers)
    ready = bases.filter((_, index) => isReady[index])
  }
  const timer = setInterval(() => void check(), CHECK_MS)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      const { pathname, search } = new URL(request.url)
      const base = ready[turn++ % ready.length]
      const { method, headers } = request
      const body = method === 'GET' ? null : await request.arrayBuffer()
      return fetch(`${base}${pathname}${search}`, {
        method,
        headers,
        body,
        keepalive: false,
        redirect: 'manual',
      })
    },
  })
  return {
    base: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await server.stop(true)
    },
  }
}

function getPet(base: string, petId: bigint): Promise<Response> {
  return fetch(`${base}/pets/${petId}`)
}

function postOrder(base: string, petId: bigint): Promise<Response> {
  const headers = { Authorization: `Bearer ${ADMIN_KEY}`, 'Content-Type': 'application/json' }
  return fetch(`${base}/store/orders`, { method: 'POST', headers, body: `{"petId":${petId}}` })
}

describe.skipIf(!testedEngines.includes('postgres'))('several processes on one database', () => {
  for (const count of [2, 4]) {
    test(
      `${count} processes that are killed and frozen at random sell each unit once, and lose no event`,
      async () => {
        await using place = await newStoreDirectory('postgres')
        await using receiver = await openReceiver()
        const servers = await Promise.all(Array.from({ length: count }, () => place.startAnother()))
        const processes = { place, servers }
        try {
          const [first] = servers
          if (!first) throw new Error('no process started')
          const client = place.client(first)
          await createWebhook({ client }, receiver)
          const petIds: bigint[] = []
          for (let pet = 0; pet < PETS; pet++) {
            petIds.push((await makePet(client, { quantity: BigInt(UNITS) })).petId)
          }
          const followed = follow(processes)
          const stop = disturb(processes, seeded(count))
          const { chains, orderIds, returnedUnits } = await sellOut(processes, petIds)
          const { kills, freezes } = await stop()
          const units = BigInt(orderIds.length)
          expect(new Set(orderIds).size).toBe(orderIds.length)
          const [counts] = await place.database(`SELECT (SELECT count(*) FROM orders) AS orders,
            (SELECT CAST(sum(quantity - reserved) AS BIGINT) FROM pet) AS left,
            (SELECT -CAST(sum(quantity) AS BIGINT) FROM sale_line WHERE quantity < 0) AS returned`)
          expect(counts).toMatchObject({ orders: units, returned: returnedUnits })
          expect(units - returnedUnits + BigInt(String(counts?.left))).toBe(BigInt(PETS * UNITS))
          expect(returnedUnits).toBeGreaterThan(0n)
          // These compare the books with the orders, too.
          expect(await violatedInvariants(place)).toEqual([])
          const received = await followed(await headOf(place))
          const rows = await eventRows(place)
          expect(faultsOf(received, rows)).toEqual([])
          expect(inversionsOf(chains, rows)).toEqual([])
          const creationPosition =
            rows.find(({ type }) => type === 'petstore.webhook.created')?.position ?? 0n
          const due = rows.filter(({ position }) => position !== null && position > creationPosition)
          const delivered = () => inOrder([...new Map(arrivals(receiver).map(one => [one.id, one])).values()])
          await place.endLeases()
          const isDelivered = async (): Promise<boolean> => {
            const startedMs = performance.now()
            const isEach = faultsOf(delivered(), due).length === 0
            // The receiver is in this process: with many events, checks alone would leave it no time.
            await Bun.sleep(4 * (performance.now() - startedMs))
            return isEach
          }
          await until('every event was delivered', isDelivered, TIMEOUT_MS / 2)
          const faults = `${kills} kills, ${freezes} freezes`
          const sales = `${units} units sold, ${returnedUnits} returned`
          const summary = `${count} processes, ${faults}, ${sales}: 0 oversold, 0 events missed, books = orders`
          recordSoak({ guarantee: 38, engine: 'postgres', summary })
        } finally {
          await Promise.all(servers.map(server => server.kill('SIGKILL')))
        }
      },
      TIMEOUT_MS,
    )
  }

  test(
    'no request fails while two processes behind a load balancer are restarted one after the other',
    async () => {
      await using place = await newStoreDirectory('postgres')
      const env = { ...place.env, PETSTORE_DRAIN_SECONDS: '2', PETSTORE_BASE_URL: 'http://shop.example' }
      const ports = [await deadPort(), await deadPort()]
      const start = (port: number) => startProcess(['serve', '--port', `${port}`, ...place.args], env)
      const servers = await Promise.all(ports.map(start))
      const bases = ports.map(port => `http://127.0.0.1:${port}`)
      await using balancer = openLoadBalancer(bases)
      try {
        const { petId } = await makePet(makeClient({ base: balancer.base, key: ADMIN_KEY }), {
          quantity: 100_000n,
        })
        let isOver = false
        const outcomes = new Map<string, number>()
        const sendRequests = async (index: number): Promise<void> => {
          while (!isOver) {
            const request = index % 2 === 0 ? getPet(balancer.base, petId) : postOrder(balancer.base, petId)
            const outcome = await request.then(({ status }) => String(status), String)
            outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
          }
        }
        const load = Promise.all(Array.from({ length: 8 }, (_, index) => sendRequests(index)))
        for (const [index, port] of ports.entries()) {
          expect(await servers[index]?.kill('SIGTERM')).toBe(0)
          servers[index] = await start(port)
          await until('the process is ready', async () => (await fetch(`${bases[index]}/readyz`)).ok)
          await Bun.sleep(CHECK_MS * 5)
        }
        isOver = true
        await load
        expect([...outcomes.keys()].sort()).toEqual(['200', '201'])
        expect(outcomes.get('201')).toBeGreaterThan(50)
      } finally {
        await Promise.all(servers.map(server => server.kill('SIGKILL')))
      }
    },
    TIMEOUT_MS,
  )

  test('processes that start at once on an empty database create one admin key and one demo shop', async () => {
    for (let round = 0; round < 3; round++) {
      const url = await newDatabase()
      const directory = await mkdtemp(join(tmpdir(), 'petstore-first-'))
      const args = ['serve', '--port', '0', '--data', directory]
      const servers = await Promise.all(Array.from({ length: 3 }, () => startProcess(args, onPostgres(url))))
      await Promise.all(servers.map(server => server.kill('SIGTERM')))
      await using database = new SQL({ url, bigint: true, max: 1 })
      const [counts] = await database.unsafe(
        'SELECT (SELECT count(*) FROM api_key) AS keys, (SELECT count(*) FROM category) AS categories,' +
          ' (SELECT count(DISTINCT name) FROM category) AS names',
      )
      expect(Number(counts.keys)).toBe(1)
      expect(Number(counts.categories)).toBeGreaterThan(0)
      expect(counts.categories).toBe(counts.names)
      rmSync(directory, { recursive: true, force: true })
    }
  }, 120_000)
})
