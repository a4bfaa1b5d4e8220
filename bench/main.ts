import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { environmentText } from './environment.ts'
import { benchEvents } from './events.ts'
import { benchLarge } from './large.ts'
import { benchOrders } from './orders.ts'
import { benchPostgres } from './orders-postgres.ts'
import { benchPeers } from './peers.ts'
import { assertTopicsFree, writePage } from './performance-page.ts'
import { benchReads } from './reads.ts'
import type { Schedule } from './sample.ts'
import { type Section, sectionText } from './section.ts'
import { benchStart } from './start.ts'

const PAGE = join(import.meta.dir, '..', 'PERFORMANCE.md')
/** The schedule of published runs. A run with fewer or shorter rounds is only printed. */
const PUBLISHED: Schedule = { rounds: 5, seconds: 3 }

const topics: Readonly<Record<string, (schedule: Schedule) => Promise<Section[]>>> = {
  reads: benchReads,
  orders: benchOrders,
  events: benchEvents,
  postgres: benchPostgres,
  peers: benchPeers,
  large: benchLarge,
  start: benchStart,
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: Object.keys(topics).join(',') },
      rounds: { type: 'string', default: String(PUBLISHED.rounds) },
      seconds: { type: 'string', default: String(PUBLISHED.seconds) },
      write: { type: 'boolean', default: false },
    },
  })
  const schedule = {
    rounds: parsePositive('rounds', values.rounds),
    seconds: parsePositive('seconds', values.seconds),
  }
  if (values.write && (schedule.rounds < PUBLISHED.rounds || schedule.seconds < PUBLISHED.seconds)) {
    throw new Error(`--write takes at least ${PUBLISHED.rounds} rounds of ${PUBLISHED.seconds} seconds`)
  }
  const benches = values.only.split(',').map(name => {
    const bench = topics[name]
    if (!bench) throw new Error(`--only takes ${Object.keys(topics).join(', ')}; not ${name}`)
    return { name, bench }
  })
  // This is checked before the run, which takes minutes.
  if (values.write) assertTopicsFree(PAGE, values.only)
  const texts = [environmentText(schedule.rounds, schedule.seconds)]
  for (const { name, bench } of benches) {
    process.stderr.write(`${name}\n`)
    texts.push(...(await bench(schedule)).map(sectionText))
  }
  const report = texts.join('\n\n')
  process.stdout.write(`${report}\n`)
  if (values.write) writePage(PAGE, values.only, report)
}

function parsePositive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} takes a number above 0, not ${text}`)
  return value
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
