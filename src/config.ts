import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { parseInstantMs } from './model/instant.ts'
import { isKeyText } from './model/key.ts'
import { SECRET_KEY_BYTES } from './model/webhook.ts'

/** A setting that cannot be used; the message is one sentence that says what would be right. */
export class ConfigError extends Error {}

interface Setting<T> {
  readonly variable: string
  /** With what it takes, as the command line shows it. */
  readonly flag?: string
  readonly about: string
  /** Used when neither flag nor variable is given; as text, so that it takes the same way. */
  readonly fallback?: string
  /** Throws a message that says what would be right. */
  readonly read: (text: string) => T
}

export type Gate = 'stable' | 'beta' | 'experimental'
export type LogFormat = 'auto' | 'json' | 'pretty'
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

const gates: readonly Gate[] = ['stable', 'beta', 'experimental']
const formats: readonly LogFormat[] = ['auto', 'json', 'pretty']
const levels: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** Every setting: where it comes from, and how its text is read. The flag wins over the variable. */
export const settings = {
  host: setting({
    variable: 'PETSTORE_HOST',
    flag: '--host <address>',
    about: 'address to listen on',
    fallback: '127.0.0.1',
    read: text => text,
  }),
  port: setting({
    variable: 'PETSTORE_PORT',
    flag: '--port <number>',
    about: 'port to listen on; 0 takes a free one',
    fallback: '8080',
    read: readPort,
  }),
  data: setting({
    variable: 'PETSTORE_DATA',
    flag: '--data <directory>',
    about: 'directory of the embedded database',
    fallback: './data',
    read: text => text,
  }),
  databaseUrl: setting({
    variable: 'DATABASE_URL',
    flag: '--database-url <url>',
    about: 'PostgreSQL to use instead of the embedded database',
    read: text => readUrl(text, ['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/name'),
  }),
  baseUrl: setting({
    variable: 'PETSTORE_BASE_URL',
    flag: '--base-url <url>',
    about: 'address under which clients see the store (default: http://host:port)',
    read: text => readUrl(text, ['http:', 'https:'], 'https://shop.example').replace(/\/+$/, ''),
  }),
  demo: setting({
    variable: 'PETSTORE_DEMO',
    flag: '--no-demo',
    about: 'leave an empty store empty',
    fallback: 'true',
    read: text => readChoice(text, ['true', 'false']) === 'true',
  }),
  clock: setting({
    variable: 'PETSTORE_CLOCK',
    flag: '--clock <instant>',
    about: 'start the clock of deprecation and sunset at this instant',
    read: readInstant,
  }),
  stability: setting({
    variable: 'PETSTORE_STABILITY',
    flag: '--stability <level>',
    about: 'serve only what is at least this settled: stable, beta or experimental',
    fallback: 'experimental',
    read: text => readChoice(text, gates),
  }),
  adminKey: setting({
    variable: 'PETSTORE_ADMIN_KEY',
    about: 'an admin key to add, instead of one made at the first start',
    read: readKey,
  }),
  adminKeyFile: setting({
    variable: 'PETSTORE_ADMIN_KEY_FILE',
    about: 'a file that holds the admin key',
    read: file => readKey(readText(file).trim()),
  }),
  secretKeyFile: setting({
    variable: 'PETSTORE_SECRET_KEY_FILE',
    about:
      'a file that holds the key which seals the secrets of webhooks; needed with DATABASE_URL (default: secret-key in the data directory, made at the first start)',
    read: file => readSecretKey(readText(file).trim()),
  }),
  eventRetention: setting({
    variable: 'PETSTORE_EVENT_RETENTION',
    about: 'how long events and the audit trail are kept: 90d, 36h, or forever',
    fallback: '90d',
    read: readRetention,
  }),
  allowPrivateWebhooks: setting({
    variable: 'PETSTORE_ALLOW_PRIVATE_WEBHOOKS',
    flag: '--allow-private-webhooks',
    about: 'let webhooks be sent to private addresses, for learning on your own machine',
    fallback: 'false',
    read: text => readChoice(text, ['true', 'false']) === 'true',
  }),
  rateLimit: setting({
    variable: 'PETSTORE_RATE_LIMIT',
    about: 'requests / seconds for each key or address, or off',
    fallback: '60000/60',
    read: readRate,
  }),
  corsOrigins: setting({
    variable: 'PETSTORE_CORS_ORIGINS',
    about: 'origins, separated by commas, whose pages may call; * is any',
    fallback: '',
    read: text => readList(text).map(readOrigin),
  }),
  trustedProxies: setting({
    variable: 'PETSTORE_TRUSTED_PROXIES',
    about: 'addresses or networks, separated by commas, whose X-Forwarded-For is believed',
    fallback: '',
    read: text => readList(text).map(readNetwork),
  }),
  log: setting({
    variable: 'PETSTORE_LOG_FORMAT',
    flag: '--log <format>',
    about: 'how to write the log: json, pretty (lines for people), or auto: pretty on a terminal',
    fallback: 'auto',
    read: text => readChoice(text, formats),
  }),
  logLevel: setting({
    variable: 'PETSTORE_LOG_LEVEL',
    about: `how much to log: ${levels.join(', ')}`,
    fallback: 'info',
    read: text => readChoice(text, levels),
  }),
}

type Settings = typeof settings
export type SettingName = keyof Settings

/** The settings as the program uses them; undefined where there is neither a value nor a default. */
export type Config = {
  readonly [N in SettingName]: Settings[N] extends { fallback: string; read: (text: string) => infer T }
    ? T
    : Settings[N] extends { read: (text: string) => infer T }
      ? T | undefined
      : never
}

/**
 * Reads the settings from flags (by setting name, as text) and environment. Throws ConfigError, naming the flag or
 * variable, its value and what would be right.
 */
export function readConfig(
  flags: Readonly<Partial<Record<SettingName, string>>>,
  environment: Readonly<Record<string, string | undefined>>,
): Config {
  const read = <T>(name: SettingName, { variable, flag, fallback, read }: Setting<T>): T | undefined => {
    const fromFlag = flags[name]
    const fromVariable = environment[variable] === '' ? undefined : environment[variable]
    const value = fromFlag ?? fromVariable ?? fallback
    if (value === undefined) return undefined
    try {
      return read(value)
    } catch (error) {
      const source = fromFlag !== undefined ? (flag ?? variable).split(' ')[0] : variable
      throw new ConfigError(
        `${source}=${secretless(name, value)}: ${error instanceof Error ? error.message : error}`,
      )
    }
  }
  const required = <T>(name: SettingName, one: Setting<T>): T => {
    const value = read(name, one)
    if (value === undefined) throw new Error(`the setting ${name} has no default`)
    return value
  }
  return {
    host: required('host', settings.host),
    port: required('port', settings.port),
    data: required('data', settings.data),
    databaseUrl: read('databaseUrl', settings.databaseUrl),
    baseUrl: read('baseUrl', settings.baseUrl),
    demo: required('demo', settings.demo),
    clock: read('clock', settings.clock),
    stability: required('stability', settings.stability),
    adminKey: read('adminKey', settings.adminKey),
    adminKeyFile: read('adminKeyFile', settings.adminKeyFile),
    secretKeyFile: read('secretKeyFile', settings.secretKeyFile),
    eventRetention: required('eventRetention', settings.eventRetention),
    allowPrivateWebhooks: required('allowPrivateWebhooks', settings.allowPrivateWebhooks),
    rateLimit: required('rateLimit', settings.rateLimit),
    corsOrigins: required('corsOrigins', settings.corsOrigins),
    trustedProxies: required('trustedProxies', settings.trustedProxies),
    log: required('log', settings.log),
    logLevel: required('logLevel', settings.logLevel),
  }
}

function setting<T, const S extends Setting<T>>(one: S & Setting<T>): S {
  return one
}

function secretless(name: SettingName, value: string): string {
  if (name === 'adminKey') return '(hidden)'
  return name === 'databaseUrl' ? value.replace(/\/\/[^@/]*@/, '//…@') : value
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > 65_535) throw new Error('the port must be a number from 0 to 65535.')
  return port
}

function readUrl(text: string, protocols: readonly string[], example: string): string {
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    throw new Error(`it must be a URL such as ${example}.`)
  }
  return text
}

function readInstant(text: string): number {
  const ms = parseInstantMs(text)
  if (ms === undefined) throw new Error('it must be an RFC 3339 instant such as 2028-01-01T00:00:00Z.')
  return ms
}

function readChoice<T extends string>(text: string, choices: readonly T[]): T {
  const choice = choices.find(one => one === text)
  if (choice === undefined) throw new Error(`it must be one of ${choices.join(', ')}.`)
  return choice
}

function readKey(text: string): string {
  if (!isKeyText(text))
    throw new Error('it must be a whole key (pst_ and 49 characters); "petstore new-key" makes one.')
  return text
}

/** The key in a file of 44 characters: base64 of 32 bytes. */
export function readSecretKey(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== SECRET_KEY_BYTES || bytes.toString('base64') !== text) {
    throw new Error('it must hold 32 random bytes in base64; "petstore new-secret-key FILE" makes one.')
  }
  return bytes
}

/** In milliseconds. */
function readRetention(text: string): number | 'forever' {
  const match = /^([1-9]\d{0,4})([dh])$/.exec(text)
  if (text === 'forever') return text
  if (!match) throw new Error('it must be a number of days (90d) or hours (36h), or forever.')
  return Number(match[1]) * (match[2] === 'd' ? 24 : 1) * 3_600_000
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new Error('it must name a file that can be read.')
  }
}

function readRate(text: string): { requests: number; seconds: number } | 'off' {
  if (text === 'off') return 'off'
  const [, requests, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})$/.exec(text) ?? []
  if (!requests || !seconds) throw new Error('it must be requests/seconds, such as 60000/60, or off.')
  return { requests: Number(requests), seconds: Number(seconds) }
}

function readList(text: string): string[] {
  return text
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
}

function readOrigin(entry: string): string {
  if (entry !== '*' && !(URL.canParse(entry) && new URL(entry).origin === entry)) {
    throw new Error('each must be * or an origin such as https://shop.example, without a path.')
  }
  return entry
}

function readNetwork(entry: string): string {
  const [address = '', bits = '0'] = entry.split('/')
  const family = isIP(address)
  if (family === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 6 ? 128 : 32)) {
    throw new Error('each must be an address or a network such as 10.0.0.0/8.')
  }
  return entry
}
