import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type Config, settingList } from '../../config.ts'
import { lockPath } from '../../database/sqlite/data-lock.ts'
import { databaseFile } from '../../database/sqlite/database-file.ts'
import { hasDraft } from '../../files/draft.ts'
import { hasCode } from '../../files/system-error.ts'
import { registryFile } from '../../sandboxes/registry/registry-file.ts'
import { CurrencyBound, ensureAdminKey, settleCurrency, settleStoreId } from '../../serving/first-start.ts'
import type { StoreEngine } from '../../serving/open.ts'
import { type BoundPort, bindPort, type Serving, startServer } from '../../serving/server.ts'
import { watchedTables } from '../../serving/service.ts'
import { isTokenValid } from '../../shop/keys/verbs.ts'
import { clockBehind } from '../../shop/log/newest-change.ts'
import { storedInstant } from '../../values/instant.ts'
import type { Log } from '../../values/log.ts'
import { consoleBackups } from '../backup-files/console-backups.ts'
import type { NightlyOptions } from '../backup-files/nightly-backups.ts'
import { readOwnSecretKey, settleSecretKey } from '../keys/secret-key.ts'
import { removeAddressFile, writeAddressFile } from '../store-access/address-file.ts'
import { adminKeyFile, adminKeyPath } from '../store-access/admin-key-file.ts'
import { openOrFail } from '../store-access/stopped-store.ts'
import { configFrom, hasDatabase } from '../store-access/store-config.ts'
import { isAnyAddress, localAddress } from '../store-access/this-machine.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, reasonOf, say } from '../terminal/terminal.ts'
import { unknownWord } from '../terminal/unknown-word.ts'
import { loadDemo } from './demo.ts'
import { openLog } from './log.ts'
import { lockData, portFailure, startFailure, stopOnSignals } from './process.ts'

/** Adds the command `serve`, which is the default command. */
export function addServe(program: Command): void {
  const serve = program.command('serve', { isDefault: true }).description('run the store (the default)')
  const others = ['', 'Settings without an option, by their variable:']
  for (const { flag, description, fallback, variable } of settingList) {
    // The help shows the default, but commander must not apply it: the setting may come from the environment.
    const shown = fallback && (!flag || flag.includes('<')) ? ` (default: ${fallback})` : ''
    if (flag) serve.addOption(new Option(flag, `${description}${shown} [${variable}]`))
    else others.push(`  ${variable}`, `      ${description}${shown}`)
  }
  // No setting: a variable or a file of settings would accept the next loss, too.
  serve.option('--accept-loss', 'start once although the files of the store lack changes')
  serve.addHelpText('after', others.join('\n'))
  // All arguments are accepted here, because the action can refuse them with a better message.
  serve.argument('[arguments...]').usage('[options]')
  serve.action(async (extra: string[], options: Record<string, string | boolean | undefined>) => {
    const [unknown] = extra
    if (unknown !== undefined) throw unknownWord(unknown)
    const acceptsLoss = options.acceptLoss === true
    const config = configFrom(options)
    // A shop that lost everything looks like a new one, and must not become a demo.
    await runServe(acceptsLoss ? { ...config, demo: false } : config, acceptsLoss)
  })
}

async function runServe(config: Config, acceptsLoss: boolean): Promise<void> {
  const log = openLog(config)
  if (config.databaseUrl === undefined && existsSync(registryFile(config.data)))
    throw new CommandFailed(`${config.data} contains sandboxes: choose another --data for a shop.`)
  if (config.backups !== undefined) refuseBackups(config.backups, config)
  // The port is bound first: if it is in use, the data directory must stay unchanged.
  const listener = bind(config)
  const lock = config.databaseUrl === undefined ? lockData(config.data) : undefined
  if (lock) refuseInterrupted(config.data)
  if (lock) removeAddressFile(config.data)
  const foundKey = readOwnSecretKey(config)
  const onFatal = (error: string): never => {
    log.error({ error }, 'the store cannot continue')
    process.exit(1)
  }
  const engine = await openOrFail(config, { log, watchedTables, onFatal, acceptsLoss })
  const { clock } = engine
  const { secretKey, currency } = await prepare(engine, foundKey, config)
  const lifecycleClock = clockFrom(config.clock, clock)
  const delivery = config.webhookRetries && { retryDelaysMs: config.webhookRetries }
  const directory = config.backups
  const storeId = directory === undefined ? '' : await settleStoreId(engine, clock)
  const nightly =
    directory === undefined ? undefined : await startNightly({ config, directory, storeId, log })
  const backups = consoleBackups(engine, config, nightly?.counts)
  const options = { ...config, secretKey, currency, engine, log, clock, lifecycleClock, backups }
  const serving = startServer({ ...options, ...(delivery && { delivery }) }, listener)
  if (lock) writeAddressFile(config.data, localAddress(config.host, serving.port))
  stopOnSignals(config.drainSeconds, async secondSignal => {
    serving.drain()
    await nightly?.stop()
    await Promise.race([Bun.sleep(config.drainSeconds * 1000), secondSignal])
    await serving.stop()
    backups.dispose()
    await engine
      .close()
      .catch(error => log.error({ error: reasonOf(error) }, 'the database was not closed completely'))
    if (lock) removeAddressFile(config.data)
    lock?.release()
    log.info({}, 'stopped')
  })
  greet(config, serving, await fileKey(engine, config))
  await warnOfClock(engine, log)
  log.info({ base: serving.base, engine: engine.name }, 'listening')
}

/**
 * Ensures that a store has its secret key, an admin key, a currency and, unless the settings exclude it, the demo shop.
 * Throws CommandFailed if the store refuses, for example because the disk is full.
 */
async function prepare(
  engine: StoreEngine,
  foundKey: Uint8Array | undefined,
  config: Config,
): Promise<{ secretKey: Uint8Array; currency: string }> {
  const { clock } = engine
  try {
    return await engine.exclusively(async () => {
      const secretKey = await settleSecretKey(engine, foundKey, config)
      const given = config.adminKey ?? config.adminKeyInFile ?? adminKeyFile(config.data)
      await ensureAdminKey(engine, given, clock)
      const currency = await settleCurrency(engine, config.currency, clock)
      if (config.demo) await loadDemo(engine, clock)
      return { secretKey, currency }
    })
  } catch (error) {
    if (error instanceof CurrencyBound) throw new CommandFailed(error.message)
    throw startFailure(error)
  }
}

async function startNightly(options: NightlyOptions) {
  const { startNightlyBackups } = await import('../backup-files/nightly-backups.ts')
  return startNightlyBackups(options)
}

function bind(config: Config): BoundPort {
  const { data, databaseUrl } = config
  try {
    return bindPort(config)
  } catch (error) {
    const isInUse = hasCode(error, 'EADDRINUSE')
    // If this store was started twice, lockData throws, and its message names the cause.
    if (isInUse && databaseUrl === undefined && existsSync(lockPath(data))) lockData(data).release()
    throw portFailure(error, config)
  }
}

/** Throws CommandFailed if this store cannot be backed up into a directory each night. */
function refuseBackups(directory: string, { data, databaseUrl }: Config): void {
  if (databaseUrl !== undefined)
    throw new CommandFailed(
      'PETSTORE_BACKUPS is for the embedded database: for PostgreSQL, see "Back up" in docs/running.md.',
      EXIT_USAGE,
    )
  if (realPath(directory) === realPath(data))
    throw new CommandFailed('PETSTORE_BACKUPS must not be the data directory of the store.', EXIT_USAGE)
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path)
}

/** Throws CommandFailed for a directory with only what an interrupted restore left: it would become a new shop. */
function refuseInterrupted(directory: string): void {
  if (hasDatabase(directory) || !hasDraft(databaseFile(directory))) return
  throw new CommandFailed(
    `A restore or a copy to ${escapeControls(directory)} was interrupted: repeat it, or delete what it left there.`,
  )
}

/** Returns the clock that retires operations: it starts at the configured instant, or is the normal clock. */
function clockFrom(startAtMs: number | undefined, clock: () => number): () => number {
  if (startAtMs === undefined) return clock
  const startedMs = performance.now()
  return () => startAtMs + Math.floor(performance.now() - startedMs)
}

/** Returns the admin key in the data directory; undefined unless it is a valid key of this store. */
async function fileKey({ readShort, clock }: StoreEngine, { data }: Config): Promise<string | undefined> {
  const key = adminKeyFile(data).read()
  const isOfStore =
    key !== undefined && (await readShort(reader => isTokenValid(reader, key, storedInstant(clock()))))
  return isOfStore ? key : undefined
}

/** Says, and logs, that the clock is behind what the store has: its next orders are dated before the last ones. */
async function warnOfClock({ readShort, clock }: StoreEngine, log: Log): Promise<void> {
  const behind = await readShort(reader => clockBehind(reader, clock()))
  if (behind === undefined) return
  say(`Warning: ${behind}.`)
  log.error({}, behind)
}

/** Prints the addresses, and where the admin key is. On a terminal, the link to the console contains the key. */
function greet(config: Config, { base }: Serving, keyInFile: string | undefined): void {
  const { adminKey, adminKeyInFile, data } = config
  const file = adminKeyPath(data)
  const isOwnKey = adminKey === undefined && adminKeyInFile === undefined
  // Only on a terminal, because a file or the log of a service must not contain the key.
  const key = isOwnKey && process.stderr.isTTY ? keyInFile : undefined
  const fragment = key === undefined ? '' : `#key=${encodeURIComponent(key)}`
  const lines = [
    `Petstore serves ${base}`,
    `console         ${base}/console${fragment}`,
    `docs            ${base}/docs`,
  ]
  if (adminKey !== undefined) lines.push('admin key       from PETSTORE_ADMIN_KEY')
  else if (adminKeyInFile !== undefined) lines.push('admin key       from PETSTORE_ADMIN_KEY_FILE')
  else if (keyInFile !== undefined) lines.push(`admin key       in ${file}`)
  else if (existsSync(file))
    lines.push(`admin key       not in ${file}: the key there is no valid key of this store`)
  // As after a restore: without a key, nobody can sign in.
  else lines.push('admin key       none here; "petstore keys reset-admin" makes one')
  const greeting = `\n${lines.map(line => `  ${line}\n`).join('')}`
  const isReachable = config.baseUrl !== undefined || !isAnyAddress(config.host)
  const note =
    `Links in responses begin with ${base}, which is no address for other machines: ` +
    'set --base-url (PETSTORE_BASE_URL) to the address that clients use.'
  // One write, so that a reader that stops the store after the address has read all of it.
  say(isReachable ? greeting : `${greeting}\n${note}`)
}
