import { z } from 'zod'
import { openWriter } from '../src/database/sqlite/connection.ts'
import { BatchWriter } from '../src/database/sqlite/group-commit.ts'
import { type Command, type CommandResult, executeCommand, replyOf } from '../src/shop/registry/commands.ts'
import { storedInstant } from '../src/values/instant.ts'
import { cpuUs } from './cpu.ts'
import { orderCommand } from './order-command.ts'
import { BareWriter } from './sqlite-bare-writer.ts'

// Measures how many orders one thread commits in batches, without HTTP. `bun bench/sqlite-ceiling.ts '<JSON>'` prints a
// Sample. The variant 'verbs' uses the verbs and the batch writer of the program. The variant 'statements' runs bare
// SQL, which shows the limit of SQLite itself.

const Plan = z.strictObject({
  file: z.string(),
  variant: z.enum(['verbs', 'statements']),
  batchSize: z.number(),
  /** The prefix of the idempotency keys, or null for orders without such a key. */
  idempotencyKeyPrefix: z.string().nullable(),
  petIdFirst: z.number(),
  pets: z.number(),
  warmSeconds: z.number(),
  seconds: z.number(),
})

const { file, variant, batchSize, idempotencyKeyPrefix, petIdFirst, pets, warmSeconds, seconds } = Plan.parse(
  JSON.parse(process.argv[2] ?? ''),
)
// openWriter sets WAL and synchronous=FULL, so every commit is durable. It throws if SQLite refuses them.
const connection = openWriter(file)
let keysMade = 0

function makeOrders(): { petId: bigint; key: string | null }[] {
  return Array.from({ length: batchSize }, () => ({
    petId: BigInt(petIdFirst + Math.floor(Math.random() * pets)),
    key: idempotencyKeyPrefix === null ? null : `${idempotencyKeyPrefix}-${keysMade++}`,
  }))
}

async function commitBatch(): Promise<void> {
  const now = storedInstant(Date.now())
  if (variant === 'statements') return bare.placeAll(makeOrders(), now)
  const commands = makeOrders().map(({ petId, key }) => orderCommand(petId, now, key))
  for (const outcome of await verbs.commit(commands)) {
    if (!('reply' in outcome) || replyOf(outcome.reply).status !== 201)
      throw new Error(JSON.stringify(outcome))
  }
}

async function runFor(runSeconds: number): Promise<number> {
  const until = performance.now() + runSeconds * 1000
  let orders = 0
  while (performance.now() < until) {
    await commitBatch()
    orders += batchSize
  }
  return orders
}

const verbs = new BatchWriter<Command, CommandResult>(connection, executeCommand)
const bare = new BareWriter(connection.database)
const warmOrders = await runFor(warmSeconds)
const before = { cpuUs: cpuUs('self'), ms: performance.now() }
const requests = await runFor(seconds)
const after = { cpuUs: cpuUs('self'), ms: performance.now() }
connection.close()
process.stdout.write(
  JSON.stringify({
    requests,
    seconds: (after.ms - before.ms) / 1000,
    cpuUs: after.cpuUs - before.cpuUs,
    answered: warmOrders + requests,
  }),
)
