import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { environmentText } from './environment.ts'
import { benchEvents } from './events.ts'
import { benchLarge } from './large.ts'
import { benchOrders } from './orders.ts'
import { benchPostgres } from './orders-postgres.ts'
import { benchPeers } from './peers.ts'
import { assertTopicsFree, writeHistory, writePage } from './performance-page.ts'
import { publishedText } from './published.ts'
import { benchReads } from './reads.ts'
import type { Schedule } from './sample.ts'
import { type Section, sectionText } from './section.ts'
import { benchStart } from './start.ts'

const PAGE = join(import.meta.dir, '..', 'PERFORMANCE.md')
/** The whole reports of the published runs. */
const HISTORY = 'bench/history'
/** The default schedule, and the minimum for published runs. A run with fewer or shorter rounds is only printed. */
const PUBLISHED: Schedule = { rounds: 9, seconds: 2 }

interface Topic {
  /** The heading on the page. */
  readonly title: string
  readonly about: string
  readonly run: (schedule: Schedule) => Promise<Section[]>
}

const topics: Readonly<Record<string, Topic>> = {
  reads: {
    title: 'Reads on SQLite',
    run: benchReads,
    about: 'pets and lists, beside two small stores; installs these in bench/peers at the first run',
  },
  orders: {
    title: 'Orders on SQLite',
    run: benchOrders,
    about:
      'orders on SQLite in a new and in a used store, with and without an idempotency key; takes 2 GB on the disk',
  },
  events: {
    title: 'Events',
    run: benchEvents,
    about: 'orders on SQLite, with and without webhooks and streams',
  },
  postgres: {
    title: 'Orders on PostgreSQL',
    run: benchPostgres,
    about: 'orders on PostgreSQL, beside pgbench if it is installed, with one and with several processes',
  },
  peers: {
    title: 'Other servers',
    run: benchPeers,
    about: 'reads and orders against other servers; installs them in bench/peers at the first run',
  },
  large: {
    title: 'A million pets',
    run: benchLarge,
    about: 'reads in few short rounds, a start and an import, with a million pets; takes 2 GB on the disk',
  },
  start: {
    title: 'Start and memory',
    run: benchStart,
    about: 'the time of a start, and memory at rest and under load; ignores --rounds and --seconds',
  },
}

const USAGE = `Usage: npm run bench -- [options]

  --only TOPICS  run only these topics, separated by commas (default: all)
  --rounds N     the rounds of each comparison (default: ${PUBLISHED.rounds})
  --seconds N    the seconds of each run in a round (default: ${PUBLISHED.seconds})
  --write        write the results to PERFORMANCE.md, and the whole report to a new file of ${HISTORY};
                 needs at least the default rounds and seconds
  --help         print this text

Topics:
${Object.entries(topics)
  .map(([name, { about }]) => `  ${name.padEnd(13)}  ${about}`)
  .join('\n')}`

/** Returns the options. Throws an error with the usage if they are wrong. */
function parseOptions() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string', default: Object.keys(topics).join(',') },
        rounds: { type: 'string', default: String(PUBLISHED.rounds) },
        seconds: { type: 'string', default: String(PUBLISHED.seconds) },
        write: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
  }
}

async function main(): Promise<void> {
  const values = parseOptions()
  if (values.help) {
    process.stdout.write(`${USAGE}\n`)
    return
  }
  const schedule = {
    rounds: parsePositive('rounds', values.rounds),
    seconds: parsePositive('seconds', values.seconds),
  }
  if (values.write && (schedule.rounds < PUBLISHED.rounds || schedule.seconds < PUBLISHED.seconds)) {
    throw new Error(`--write needs at least ${PUBLISHED.rounds} rounds of ${PUBLISHED.seconds} seconds`)
  }
  const chosen = values.only.split(',').map(name => {
    const topic = topics[name]
    if (!topic) throw new Error(`--only accepts ${Object.keys(topics).join(', ')}, not ${name}`)
    return { name, topic }
  })
  // This is checked before the run, which takes minutes.
  if (values.write) assertTopicsFree(PAGE, values.only)
  const texts = [environmentText(schedule.rounds, schedule.seconds)]
  for (const { name, topic } of chosen) {
    process.stderr.write(`${name}\n`)
    texts.push(...(await topic.run(schedule)).map(sectionText))
  }
  const report = texts.join('\n\n')
  process.stdout.write(`${report}\n`)
  if (!values.write) return
  const file = writeHistory(join(import.meta.dir, '..', HISTORY), values.only, report)
  const title = chosen.map(({ topic }) => topic.title).join(', ')
  writePage(PAGE, values.only, publishedText(title, report, `${HISTORY}/${file}`))
}

function parsePositive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} needs a number above 0, not ${text}`)
  return value
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}
