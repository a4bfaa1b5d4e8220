import { Command, InvalidArgumentError } from 'commander'
import { startOwnStore } from './own-store.ts'
import { reportText } from './report.ts'
import { fuzz } from './run.ts'

const program = new Command('npm run fuzz --')
  .description(
    'Sends random valid and invalid requests to a store, and checks the responses against its description.',
  )
  .option('--requests <count>', 'number of requests to send', parseWholeNumber, 10_000)
  .option('--seed <number>', 'seed of the random requests', parseWholeNumber, 1)
  .option(
    '--url <url>',
    'a store on this machine; without --url, the run starts its own store and stops it afterwards',
  )
  .option('--key <key>', 'an admin key of that store')
  .option('--database-url <url>', 'a PostgreSQL database for the store that the run starts')
  .addHelpText(
    'after',
    `
Exits with status 1 if there are findings. With --url, use a store that you can throw away: the run creates keys,
orders, pets and webhooks in it and does not remove them.`,
  )
  .parse()

interface Options {
  readonly requests: number
  readonly seed: number
  readonly url?: string
  readonly key?: string
  readonly databaseUrl?: string
}

const { requests, seed, url, key, databaseUrl } = program.opts<Options>()
if (url !== undefined && key === undefined)
  program.error('error: --url needs --key, an admin key of that store')
let findingCount = 0
try {
  if (url !== undefined && key !== undefined) findingCount = await run(url.replace(/\/$/, ''), key)
  else {
    await using store = await startOwnStore(databaseUrl)
    findingCount = await run(store.url, store.key)
  }
} catch (error) {
  program.error(`error: ${error instanceof Error ? error.message : String(error)}`)
}
// The runtime forgets process.exitCode if a child process ends after the exit code was set.
process.exit(findingCount > 0 ? 1 : 0)

/** Prints the report of one run. Returns the number of findings. */
async function run(address: string, adminKey: string): Promise<number> {
  const report = await fuzz({ url: address, key: adminKey, requests, seed })
  process.stdout.write(reportText(report))
  return report.findings.length
}

function parseWholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$|^0$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number below 1,000,000,000.')
}
