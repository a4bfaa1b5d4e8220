import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { pino } from 'pino'
import { ensureAdminKey, isSecretKeyRight } from '../chores.ts'
import { type Config, ConfigError, type LogLevel, readConfig, type SettingName, settings } from '../config.ts'
import { type DataLock, DirectoryInUse, lockDirectory } from '../engine/data-lock.ts'
import { NewerDatabase } from '../engine/migrate.ts'
import { type Serving, startServer } from '../server.ts'
import { type Log, openEngine, type StoreEngine } from '../store.ts'
import { loadDemo } from './demo.ts'
import { LogStream } from './log-stream.ts'
import { announce, withdraw } from './running.ts'
import { ownSecretKey } from './secret-key.ts'
import { CommandFailed, say } from './terminal.ts'

/** How long a stop may take before it is forced. */
const STOP_MS = 9500

/** Adds `serve`, the default command. */
export function addServe(program: Command): void {
  const serve = program.command('serve', { isDefault: true }).description('run the store (the default)')
  for (const { flag, about, fallback, variable } of settingList()) {
    if (!flag) continue
    const option = new Option(flag, `${about} [${variable}]`)
    serve.addOption(fallback && !flag.startsWith('--no-') ? option.default(undefined, fallback) : option)
  }
  serve.action(async (options: Record<string, string | boolean | undefined>) => {
    await runServe(configFrom(options))
  })
}

/** The settings of a command's options and the environment. Throws CommandFailed with one sentence. */
export function configFrom(options: Readonly<Record<string, string | boolean | undefined>>): Config {
  const flags: Partial<Record<SettingName, string>> = {}
  for (const { name, flag } of settingList()) {
    const value = options[name]
    if (typeof value === 'string') flags[name] = value
    if (typeof value === 'boolean' && value === !isOnUnlessSaid(flag)) flags[name] = String(value)
  }
  try {
    return readConfig(flags, process.env)
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandFailed(error.message, 2)
    throw error
  }
}

function settingList(): {
  name: SettingName
  flag?: string
  about: string
  fallback?: string
  variable: string
}[] {
  const entries: [string, { flag?: string; about: string; fallback?: string; variable: string }][] =
    Object.entries(settings)
  return entries.flatMap(([name, entry]) => (isSettingName(name) ? [{ name, ...entry }] : []))
}

function isOnUnlessSaid(flag: string | undefined): boolean {
  return flag?.startsWith('--no-') ?? false
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name)
}

async function runServe(config: Config): Promise<void> {
  const destination = new LogStream(1)
  const log = makeLog(config.logLevel, destination)
  const lock = config.databaseUrl === undefined ? takeDirectory(config.data) : undefined
  const secretKey = config.secretKeyFile ?? ownSecretKey(config)
  const engine = await open(config, log, () => destination.flush())
  const clock = Date.now
  if (!(await isSecretKeyRight(engine, secretKey, clock))) {
    throw new CommandFailed(
      'The secrets of the webhooks in this database were sealed with another key than the one given: start with that one.',
    )
  }
  const madeKey = await ensureAdminKey(engine, config.adminKey ?? config.adminKeyFile, clock)
  if (config.demo) await loadDemo(engine, clock)
  const serving = listen(config, secretKey, engine, log, clock)
  if (lock) announce(config.data, serving.base)
  greet(config, serving, madeKey)
  log.info({ base: serving.base, engine: engine.name }, 'listening')
  stopOnSignals(async () => {
    await serving.stop()
    await engine.close()
    if (lock) withdraw(config.data)
    lock?.release()
    log.info({}, 'stopped')
    destination.flush()
  })
}

function makeLog(level: LogLevel, destination: LogStream): Log {
  const logger = pino({ level, base: null }, destination)
  return {
    info: (fields, message) => logger.info(fields, message),
    error: (fields, message) => logger.error(fields, message),
    access: logger.isLevelEnabled('info') ? line => destination.write(`${line}\n`) : () => {},
  }
}

function takeDirectory(directory: string): DataLock {
  try {
    return lockDirectory(directory)
  } catch (error) {
    if (error instanceof DirectoryInUse)
      throw new CommandFailed(`${error.message} Stop it, or choose another --data.`)
    throw new CommandFailed(`The data directory ${directory} cannot be written: ${reason(error)}.`)
  }
}

async function open(config: Config, log: Log, flush: () => void): Promise<StoreEngine> {
  try {
    return await openEngine({
      databaseUrl: config.databaseUrl,
      directory: config.data,
      log,
      onFatal: cause => {
        log.error({ fault: cause }, 'the store cannot go on')
        flush()
        process.exit(1)
      },
    })
  } catch (error) {
    if (error instanceof NewerDatabase) throw new CommandFailed(error.message)
    const where = config.databaseUrl === undefined ? `in ${config.data}` : 'that DATABASE_URL names'
    throw new CommandFailed(`The database ${where} cannot be opened: ${reason(error)}.`)
  }
}

function listen(
  config: Config,
  secretKey: Uint8Array,
  engine: StoreEngine,
  log: Log,
  clock: () => number,
): Serving {
  const { clock: startsAtMs } = config
  const startedMs = performance.now()
  const lifecycleClock =
    startsAtMs === undefined ? clock : () => startsAtMs + Math.floor(performance.now() - startedMs)
  try {
    return startServer({ ...config, secretKey, engine, log, clock, lifecycleClock })
  } catch (error) {
    const where = `${config.host}:${config.port}`
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new CommandFailed(`${where} is in use: stop what listens there, or choose another --port.`)
    }
    if (error instanceof Error && 'code' in error) {
      throw new CommandFailed(`The store cannot listen on ${where}: ${reason(error)}.`)
    }
    throw error
  }
}

/** Tells a person where things are. The key goes to a terminal or into a file of its owner: never into a log. */
function greet(config: Config, { base }: Serving, madeKey: string | undefined): void {
  const lines = [`Petstore serves ${base}`, `docs            ${base}/docs`]
  if (madeKey !== undefined) lines.push(`admin key       ${hand(madeKey, config.data)}`)
  say(`\n${lines.map(line => `  ${line}\n`).join('')}`)
}

/** Shows the key on a terminal, or keeps it in a file; answers what to say of it. */
function hand(key: string, directory: string): string {
  if (process.stderr.isTTY) return `${key}   (shown this once)`
  const file = join(directory, 'admin-key')
  mkdirSync(directory, { recursive: true })
  rmSync(file, { force: true })
  writeFileSync(file, `${key}\n`, { mode: 0o600 })
  return `in ${file}`
}

function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      setTimeout(() => process.exit(1), STOP_MS).unref()
      stop().then(
        () => process.exit(0),
        error => {
          say(`The store did not stop in order: ${reason(error)}`)
          process.exit(1)
        },
      )
    })
  }
}

function reason(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
}
