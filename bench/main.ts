import { parseArgs } from 'node:util'
import { benchEvents } from './events.ts'
import { benchLarge } from './large.ts'
import type { Schedule } from './measure.ts'
import { benchOrders } from './orders.ts'
import { benchPostgres } from './postgres.ts'
import { benchReads } from './reads.ts'
import { publish, type Report, reportText } from './report.ts'
import { benchStart } from './start.ts'

/** The default schedule, and the minimum for published runs. A run with fewer or shorter rounds is only printed. */
const PUBLISHED: Schedule = { rounds: 9, seconds: 2 }

interface Part {
  /** The heading on the page. */
  readonly title: string
  readonly about: string
  readonly run: (schedule: Schedule) => Promise<Report>
}

const parts: Readonly<Record<string, Part>> = {
  reads: {
    title: 'Reads on SQLite',
    about: 'pets and lists, beside two small stores, which it installs in bench/peers at the first run',
    run: benchReads,
  },
  orders: {
    title: 'Orders on SQLite',
    about: 'in a new and in a used store, with and without an idempotency key; takes 2 GB on the disk',
    run: benchOrders,
  },
  events: {
    title: 'Events',
    about: 'orders on SQLite, with and without webhooks and streams; memory of streams',
    run: benchEvents,
  },
  postgres: {
    title: 'Orders on PostgreSQL',
    about: 'beside pgbench, which must be installed, with one and with several processes',
    run: benchPostgres,
  },
  start: {
    title: 'Start and memory',
    about: 'the time of a start, and memory at rest and after a million requests',
    run: benchStart,
  },
  large: {
    title: 'A million pets',
    about: 'reads in few short rounds, starts and an import; takes 2 GB on the disk',
    run: benchLarge,
  },
}

const USAGE = `Usage: npm run bench -- [options]

  --only PARTS   run only these parts, separated by commas (default: all)
  --rounds N     the rounds of each comparison (default: ${PUBLISHED.rounds})
  --seconds N    the seconds of each run in a round (default: ${PUBLISHED.seconds})
  --write        write the tables to PERFORMANCE.md and bench/history; needs at least the default rounds and seconds
  --help         print this text

Parts:
${Object.entries(parts)
  .map(([name, { about }]) => `  ${name.padEnd(13)}  ${about}`)
  .join('\n')}
`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: Object.keys(parts).join(',') },
      rounds: { type: 'string', default: String(PUBLISHED.rounds) },
      seconds: { type: 'string', default: String(PUBLISHED.seconds) },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(USAGE)
    return
  }
  const schedule = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
  if (!(schedule.rounds > 0 && schedule.seconds > 0)) throw new Error('--rounds and --seconds are above 0')
  if (values.write && (schedule.rounds < PUBLISHED.rounds || schedule.seconds < PUBLISHED.seconds))
    throw new Error(`--write needs at least ${PUBLISHED.rounds} rounds of ${PUBLISHED.seconds} seconds`)
  const chosen = values.only.split(',').map(name => {
    const part = parts[name]
    if (!part) throw new Error(`--only accepts ${Object.keys(parts).join(', ')}, not ${name}`)
    return { name, ...part }
  })
  for (const { name, title, run } of chosen) {
    process.stderr.write(`${name}\n`)
    const text = reportText({ part: name, title }, await run(schedule), schedule)
    process.stdout.write(`${text.history}\n\n`)
    if (values.write) publish(name, text)
  }
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
