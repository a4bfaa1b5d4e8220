import { type ReservedSQL, SQL, type TransactionSQL } from 'bun'
import { z } from 'zod'
import { startSequencer } from '../src/database/postgres/sequencer.ts'
import type { Statement, Value } from '../src/database/statement.ts'
import { storedInstant } from '../src/values/instant.ts'
import { cpuUs } from './cpu.ts'
import {
  type EventEntry,
  movementValues,
  orderEventValues,
  orderStatements,
  orderValues,
  type PlainOrder,
  shiftStockValues,
  stockEventValues,
} from './order-statements.ts'

// A bare client of PostgreSQL: N loops, each of which runs one transaction after another with the statements of an
// order, without HTTP. With `isComplete`, each transaction also inserts an execution key, and the process runs the
// sequencer, as the store does. `bun bench/postgres-loop.ts '<JSON>'` prints a Sample.

const Plan = z.strictObject({
  url: z.string(),
  clients: z.number(),
  connectionsMax: z.number(),
  isComplete: z.boolean(),
  petIdFirst: z.number(),
  pets: z.number(),
  warmSeconds: z.number(),
  seconds: z.number(),
})

const NO_ENTRY: EventEntry = { position: null, hash: null }

const plan = Plan.parse(JSON.parse(process.argv[2] ?? ''))
const pool = new SQL({ url: plan.url, bigint: true, max: plan.connectionsMax })
let orderId = await lastId('orders')
let movementId = await lastId('movement')
let eventId = await lastId('event')
let answered = 0
let isStopping = false

async function lastId(table: string): Promise<bigint> {
  const [row] = await pool.unsafe<{ id: bigint | null }[]>(`SELECT max(id) AS id FROM ${table}`)
  return row?.id ?? 0n
}

async function placeOrder(tx: TransactionSQL): Promise<void> {
  const order: PlainOrder = {
    petId: BigInt(plan.petIdFirst + Math.floor(Math.random() * plan.pets)),
    now: storedInstant(Date.now()),
    orderId: ++orderId,
    movementId: ++movementId,
    stockEventId: ++eventId,
    orderEventId: ++eventId,
  }
  if (plan.isComplete) {
    await tx.unsafe(
      `INSERT INTO execution (process, number, at) VALUES (1, ${order.orderId}, '${order.now}')`,
    )
  }
  const { shiftStock, insertMovement, insertEvent, insertOrder } = orderStatements
  const [moved] = await run(tx, shiftStock, shiftStockValues(order))
  if (!moved) throw new Error(`pet ${order.petId} has no unit left`)
  await run(tx, insertMovement, movementValues(order, moved))
  await run(tx, insertEvent, stockEventValues(order, moved, NO_ENTRY))
  await run(tx, insertOrder, orderValues(order))
  await run(tx, insertEvent, orderEventValues(order, NO_ENTRY))
}

function run<Row>(tx: TransactionSQL, { text }: Statement<Row, string>, values: Value[]): Promise<Row[]> {
  return tx.unsafe<Row[]>(text, values)
}

async function runLoop(): Promise<void> {
  while (!isStopping) {
    await pool.begin(placeOrder)
    answered++
  }
}

/** Runs the sequencer of the store on a connection of its own. Returns the function that stops it. */
function startOwnSequencer(): () => Promise<void> {
  const own = new SQL({ url: plan.url, bigint: true, max: 1 })
  const inTransaction = async <T>(work: (connection: ReservedSQL) => Promise<T>): Promise<T> => {
    using connection = await own.reserve()
    await connection.unsafe('BEGIN')
    const result = await work(connection)
    await connection.unsafe('COMMIT')
    return result
  }
  const fail = (error: unknown): never => {
    throw error
  }
  const sequencer = startSequencer(inTransaction, () => {}, fail)
  const timer = setInterval(() => sequencer.wake(), 1)
  return async () => {
    clearInterval(timer)
    await sequencer.close()
    await own.close()
  }
}

const stopSequencer = plan.isComplete ? startOwnSequencer() : async () => {}
const loops = Promise.all(Array.from({ length: plan.clients }, runLoop))
await Bun.sleep(plan.warmSeconds * 1000)
const before = { answered, cpuUs: cpuUs('self'), ms: performance.now() }
await Bun.sleep(plan.seconds * 1000)
const after = { answered, cpuUs: cpuUs('self'), ms: performance.now() }
isStopping = true
await loops
await stopSequencer()
await pool.close()
process.stdout.write(
  JSON.stringify({
    requests: after.answered - before.answered,
    seconds: (after.ms - before.ms) / 1000,
    cpuUs: after.cpuUs - before.cpuUs,
    answered,
  }),
)
