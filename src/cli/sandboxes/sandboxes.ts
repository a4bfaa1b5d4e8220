import { networkInterfaces } from 'node:os'
import { type Command, Option } from 'commander'
import type { Config } from '../../config.ts'
import { hostKeyPath } from '../../sandboxes/classes/host-key.ts'
import { defaultLimits, type SandboxLimits } from '../../sandboxes/host/limits.ts'
import { refusalOfFullDisk } from '../../sandboxes/registry/full-disk.ts'
import { type SandboxServer, serveSandboxes } from '../../sandboxes/server.ts'
import { bindPort } from '../../serving/server.ts'
import { openLog } from '../serve/log.ts'
import { lockData, portFailure, startFailure, stopOnSignals } from '../serve/process.ts'
import { configFrom, hasDatabase } from '../store-access/store-config.ts'
import { isAnyAddress } from '../store-access/this-machine.ts'
import { CommandFailed, EXIT_USAGE, say } from '../terminal/terminal.ts'
import { HOST_DATA } from './host.ts'
import { addHostCopies } from './host-copies.ts'
import { loadSandboxSeed } from './seeds.ts'

const DEFAULT_PORT = '8081'
const MIB = 1024 * 1024
const HELP = `
PETSTORE_TRUSTED_PROXIES names the proxies whose X-Forwarded-For is trusted, and PETSTORE_WEBHOOK_RETRIES sets the
delays between the attempts of a delivery. docs/sandboxes.md explains the rest.`

/** The option of each limit. Its value is a whole number, which is multiplied by `unit`. */
const limitOptions: Readonly<Record<keyof SandboxLimits, { flag: string; about: string; unit: number }>> = {
  sandboxes: { flag: '--max-sandboxes', about: 'sandboxes', unit: 1 },
  bytesTotal: { flag: '--max-total-mib', about: 'MiB of all sandboxes on the disk', unit: MIB },
  createdPerHour: {
    flag: '--max-created-per-hour',
    about: 'sandboxes that one address of another machine may create in an hour',
    unit: 1,
  },
  open: { flag: '--max-open', about: 'sandboxes that are open at once', unit: 1 },
  bytes: { flag: '--max-mib', about: 'MiB of the database of one sandbox', unit: MIB },
  rows: { flag: '--max-rows', about: 'pets, of categories and of orders of one sandbox', unit: 1 },
  events: { flag: '--max-events', about: 'events of one sandbox', unit: 1 },
  webhooks: { flag: '--max-webhooks', about: 'webhooks of one sandbox', unit: 1 },
  streams: { flag: '--max-streams', about: 'event streams of one sandbox', unit: 1 },
  snapshots: { flag: '--max-snapshots', about: 'snapshots of one sandbox', unit: 1 },
  requestsPerMinute: {
    flag: '--max-requests-per-minute',
    about: 'requests to one sandbox in a minute',
    unit: 1,
  },
}

/** Adds the command `sandboxes`, which hosts many private stores and no shop. */
export function addSandboxes(program: Command): void {
  const command = program
    .command('sandboxes')
    .description('host private stores for students, tests and tools, with failures on demand')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1) [PETSTORE_HOST]')
    .option(
      '--port <number>',
      `port to listen on; 0 picks a free one (default: ${DEFAULT_PORT}) [PETSTORE_PORT]`,
    )
    .option('--data <directory>', `directory of the sandboxes (default: ${HOST_DATA}) [PETSTORE_DATA]`)
    .option('--base-url <url>', 'base URL that clients use (default: http://host:port) [PETSTORE_BASE_URL]')
    .option('--log <format>', 'log format: json, pretty or auto (default: auto) [PETSTORE_LOG_FORMAT]')
    .option('--log-level <level>', 'log level (default: info) [PETSTORE_LOG_LEVEL]')
    .option('--sandbox-webhooks', 'let sandboxes send webhooks, but never to private addresses')
    .option(
      '--allow-private-webhooks',
      'with --sandbox-webhooks, also send to private addresses; only for your own machine',
    )
  for (const [name, { flag, about, unit }] of Object.entries(limitOptions)) {
    // Safe: the keys of limitOptions are those of the limits.
    const fallback = defaultLimits[name as keyof SandboxLimits] / unit
    command.option(`${flag} <number>`, `maximum number of ${about} (default: ${fallback})`)
  }
  command.addHelpText('after', HELP)
  addHostCopies(command)
  command.action((options: Record<string, string | boolean | undefined>) => run(options))
}

async function run(options: Readonly<Record<string, string | boolean | undefined>>): Promise<void> {
  if (options.allowPrivateWebhooks === true && options.sandboxWebhooks !== true)
    throw new CommandFailed('--allow-private-webhooks requires --sandbox-webhooks.', EXIT_USAGE)
  const config = configFrom(options, { port: DEFAULT_PORT, data: HOST_DATA })
  if (config.databaseUrl !== undefined)
    throw new CommandFailed('Sandboxes are files: remove DATABASE_URL from the environment.', EXIT_USAGE)
  if (hasDatabase(config.data))
    throw new CommandFailed(
      `${config.data} contains the store of a shop: choose another --data for sandboxes.`,
    )
  const limits = limitsFrom(options)
  const log = openLog(config)
  const listener = bind(config)
  const lock = lockData(config.data)
  const serving = await serveSandboxes(
    {
      limits,
      log,
      clock: Date.now,
      loadSeed: loadSandboxSeed,
      directory: config.data,
      baseUrl: config.baseUrl ?? reachableBase(config.host, listener.port),
      trustedProxies: config.trustedProxies,
      idleSeconds: config.idleSeconds,
      allowPrivateWebhooks: config.allowPrivateWebhooks,
      timeZone: config.timeZone,
      webhooksRefusal:
        options.sandboxWebhooks === true
          ? undefined
          : 'This host sends no webhooks from sandboxes. Its operator can allow them with --sandbox-webhooks.',
      retryDelaysMs: config.webhookRetries,
    },
    listener,
  ).catch(error => {
    throw startFailure(refusalOfFullDisk(error))
  })
  stopOnSignals(config.drainSeconds, async secondSignal => {
    serving.drain()
    await Promise.race([Bun.sleep(config.drainSeconds * 1000), secondSignal])
    await serving.stop()
    lock.release()
    log.info({}, 'stopped')
  })
  greet(serving, limits, config.data)
  log.info({ base: serving.base, sandboxes: serving.host.counts.sandboxes }, 'listening')
}

/**
 * Returns the base address of a host that listens on all addresses. It contains the first IPv4 address of this machine
 * that other machines can reach, or else loopback. Returns undefined for any other host.
 */
function reachableBase(host: string, port: number | undefined): string | undefined {
  if (!isAnyAddress(host)) return undefined
  const addresses = Object.values(networkInterfaces()).flatMap(found => found ?? [])
  const reachable = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)
  return `http://${reachable?.address ?? '127.0.0.1'}:${port}`
}

function bind(config: Config): ReturnType<typeof bindPort> {
  try {
    return bindPort(config)
  } catch (error) {
    throw portFailure(error, config)
  }
}

function limitsFrom(options: Readonly<Record<string, string | boolean | undefined>>): SandboxLimits {
  const entries = Object.entries(limitOptions).map(([name, { flag, unit }]) => {
    const text = options[new Option(flag).attributeName()]
    // Safe: the keys of limitOptions are those of the limits.
    if (text === undefined) return [name, defaultLimits[name as keyof SandboxLimits]] as const
    if (!/^[1-9][0-9]{0,8}$/.test(String(text)))
      throw new CommandFailed(
        `${flag} must be a whole number from 1 to 999999999, not ${JSON.stringify(text)}.`,
        EXIT_USAGE,
      )
    return [name, Number(text) * unit] as const
  })
  // Safe: every limit has an entry.
  return Object.fromEntries(entries) as unknown as SandboxLimits
}

function greet({ base, host }: SandboxServer, { sandboxes }: SandboxLimits, data: string): void {
  const lines = [
    `Petstore hosts sandboxes at ${base}`,
    `create one      open ${base} in a browser, or run: petstore sandbox create --host-url ${base}`,
    `for a class     petstore class create --key @${hostKeyPath(data)} --host-url ${base} ...`,
    `sandboxes       ${host.counts.sandboxes} of at most ${sandboxes}`,
  ]
  say(`\n${lines.map(line => `  ${line}\n`).join('')}`)
}
