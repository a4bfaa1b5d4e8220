import { existsSync } from 'node:fs'
import { parseDatabaseUrl } from './database/postgres/database-url.ts'
import {
  readBaseUrl,
  readChoice,
  readDirectory,
  readDrainSeconds,
  readHost,
  readInstant,
  readKey,
  readList,
  readNetwork,
  readOrigin,
  readPort,
  readRate,
  readRetention,
  readRetryDelays,
  readSecretKey,
  readText,
} from './setting-readers.ts'

/** Thrown for a setting with an invalid value. The message is one sentence that says what is valid. */
export class ConfigError extends Error {}

interface Setting<T> {
  readonly variable: string
  /** The flag with its argument, as `--help` shows it; absent if only the variable sets the setting. */
  readonly flag?: string
  readonly description: string
  /** The text that is read if neither flag nor variable is set. */
  readonly fallback?: string
  /** Set if the value is a secret, or names a file with one: people also put the secret itself there. */
  readonly isSecret?: true
  /** Returns the value of a text. Throws an error whose message says what is valid. */
  readonly read: (text: string) => T
}

export type Gate = 'stable' | 'beta' | 'experimental'
export type CacheMode = 'on' | 'off' | 'verify'
export type LogFormat = 'auto' | 'json' | 'pretty'
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

const gates: readonly Gate[] = ['stable', 'beta', 'experimental']
const cacheModes: readonly CacheMode[] = ['on', 'off', 'verify']
const formats: readonly LogFormat[] = ['auto', 'json', 'pretty']
const levels: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** Every setting, with its sources and the function that reads its text. The flag overrides the variable. */
export const settings = {
  host: setting({
    variable: 'PETSTORE_HOST',
    flag: '--host <address>',
    description: 'address to listen on',
    fallback: '127.0.0.1',
    read: readHost,
  }),
  port: setting({
    variable: 'PETSTORE_PORT',
    flag: '--port <number>',
    description: 'port to listen on; 0 picks a free one',
    fallback: '8080',
    read: readPort,
  }),
  data: setting({
    variable: 'PETSTORE_DATA',
    flag: '--data <directory>',
    description: 'directory of the embedded database',
    fallback: './data',
    read: readDirectory,
  }),
  databaseUrl: setting({
    variable: 'DATABASE_URL',
    flag: '--database-url <url>',
    description: 'PostgreSQL to use instead of the embedded database',
    isSecret: true,
    read: text => {
      parseDatabaseUrl(text)
      return text
    },
  }),
  databasePassword: setting({
    variable: 'PETSTORE_DATABASE_PASSWORD_FILE',
    description: 'a file that contains the password for DATABASE_URL; it is read again for each connection',
    isSecret: true,
    read: file => {
      const read = () => readText(file).trim()
      read()
      return read
    },
  }),
  baseUrl: setting({
    variable: 'PETSTORE_BASE_URL',
    flag: '--base-url <url>',
    description: 'base URL that clients use (default: http://host:port)',
    read: readBaseUrl,
  }),
  demo: setting({
    variable: 'PETSTORE_DEMO',
    flag: '--no-demo',
    description: 'do not load the demo shop into an empty store',
    fallback: 'true',
    read: text => readChoice(text, ['true', 'false']) === 'true',
  }),
  clock: setting({
    variable: 'PETSTORE_CLOCK',
    flag: '--clock <instant>',
    description: 'initial time of the clock that decides which operations have been retired',
    read: readInstant,
  }),
  stability: setting({
    variable: 'PETSTORE_STABILITY',
    flag: '--stability <level>',
    description: 'serve only operations at least this stable: stable, beta or experimental',
    fallback: 'experimental',
    read: text => readChoice(text, gates),
  }),
  adminKey: setting({
    variable: 'PETSTORE_ADMIN_KEY',
    description: 'an admin key to add, instead of generating one at the first start',
    isSecret: true,
    read: readKey,
  }),
  adminKeyInFile: setting({
    variable: 'PETSTORE_ADMIN_KEY_FILE',
    description: 'a file that contains the admin key',
    isSecret: true,
    read: file => readKey(readText(file).trim()),
  }),
  secretKey: setting({
    variable: 'PETSTORE_SECRET_KEY_FILE',
    description:
      'a file that contains the key that encrypts webhook secrets; required with DATABASE_URL (default: secret-key in the data directory, created at the first start)',
    isSecret: true,
    read: file => readSecretKey(readText(file).trim()),
  }),
  eventRetention: setting({
    variable: 'PETSTORE_EVENT_RETENTION',
    description: 'how long to keep events and the audit log: 90d, 36h, or forever',
    fallback: '90d',
    read: readRetention,
  }),
  allowPrivateWebhooks: setting({
    variable: 'PETSTORE_ALLOW_PRIVATE_WEBHOOKS',
    flag: '--allow-private-webhooks',
    description: 'allow webhooks to private addresses, for experiments on your own machine',
    fallback: 'false',
    read: text => readChoice(text, ['true', 'false']) === 'true',
  }),
  webhookRetries: setting({
    variable: 'PETSTORE_WEBHOOK_RETRIES',
    description:
      'the delays between the attempts of a delivery, separated by commas, such as 1s,5s,1m (default: 5s,5m,30m,2h,5h,10h,14h,20h,24h)',
    read: readRetryDelays,
  }),
  rateLimit: setting({
    variable: 'PETSTORE_RATE_LIMIT',
    description: 'rate limit per key or address, as requests/seconds, or off',
    fallback: '60000/60',
    read: readRate,
  }),
  cache: setting({
    variable: 'PETSTORE_CACHE',
    description:
      'cache of reads (embedded database only): on, off, or verify: compare each hit with the database',
    fallback: 'on',
    read: text => readChoice(text, cacheModes),
  }),
  corsOrigins: setting({
    variable: 'PETSTORE_CORS_ORIGINS',
    description: 'origins whose pages may call the store, separated by commas; * allows any',
    fallback: '',
    read: text => readList(text).map(readOrigin),
  }),
  trustedProxies: setting({
    variable: 'PETSTORE_TRUSTED_PROXIES',
    description: 'proxies whose X-Forwarded-For is trusted: addresses or networks, separated by commas',
    fallback: '',
    read: text => readList(text).map(readNetwork),
  }),
  drainSeconds: setting({
    variable: 'PETSTORE_DRAIN_SECONDS',
    description:
      'seconds to keep serving after SIGTERM while /readyz fails, so that a load balancer sends its requests elsewhere',
    fallback: '0',
    read: readDrainSeconds,
  }),
  log: setting({
    variable: 'PETSTORE_LOG_FORMAT',
    flag: '--log <format>',
    description: 'log format: json, pretty (for people), or auto: pretty on a terminal',
    fallback: 'auto',
    read: text => readChoice(text, formats),
  }),
  logLevel: setting({
    variable: 'PETSTORE_LOG_LEVEL',
    description: `log level: ${levels.join(', ')}`,
    fallback: 'info',
    read: text => readChoice(text, levels),
  }),
}

type Settings = typeof settings
export type SettingName = keyof Settings

/** The values of all settings. A setting without a value and without a fallback is undefined. */
export type Config = {
  readonly [N in SettingName]: Settings[N] extends { fallback: string; read: (text: string) => infer T }
    ? T
    : Settings[N] extends { read: (text: string) => infer T }
      ? T | undefined
      : never
}

/**
 * Returns the settings from the flags (texts by the name of the setting) and the environment. Throws ConfigError, whose
 * message names the flag or variable, its value (unless it may contain a secret) and the valid values.
 */
export function readConfig(
  flags: Readonly<Partial<Record<SettingName, string>>>,
  environment: Readonly<Record<string, string | undefined>>,
): Config {
  const read = <T>(name: SettingName, setting: Setting<T>): T | undefined => {
    const { variable, flag, fallback, read } = setting
    const fromFlag = flags[name]
    const fromVariable = environment[variable] === '' ? undefined : environment[variable]
    const value = fromFlag ?? fromVariable ?? fallback
    if (value === undefined) return undefined
    try {
      return read(value)
    } catch (error) {
      const source = fromFlag !== undefined ? (flag ?? variable).split(' ')[0] : variable
      throw new ConfigError(
        `${source}=${shownValue(setting, value)}: ${error instanceof Error ? error.message : error}`,
      )
    }
  }
  const required = <T>(name: SettingName, setting: Setting<T>): T => {
    const value = read(name, setting)
    if (value === undefined) throw new Error(`the setting ${name} has no default`)
    return value
  }
  return {
    host: required('host', settings.host),
    port: required('port', settings.port),
    data: required('data', settings.data),
    databaseUrl: read('databaseUrl', settings.databaseUrl),
    databasePassword: read('databasePassword', settings.databasePassword),
    baseUrl: read('baseUrl', settings.baseUrl),
    demo: required('demo', settings.demo),
    clock: read('clock', settings.clock),
    stability: required('stability', settings.stability),
    adminKey: read('adminKey', settings.adminKey),
    adminKeyInFile: read('adminKeyInFile', settings.adminKeyInFile),
    secretKey: read('secretKey', settings.secretKey),
    eventRetention: required('eventRetention', settings.eventRetention),
    allowPrivateWebhooks: required('allowPrivateWebhooks', settings.allowPrivateWebhooks),
    webhookRetries: read('webhookRetries', settings.webhookRetries),
    rateLimit: required('rateLimit', settings.rateLimit),
    cache: required('cache', settings.cache),
    corsOrigins: required('corsOrigins', settings.corsOrigins),
    trustedProxies: required('trustedProxies', settings.trustedProxies),
    drainSeconds: required('drainSeconds', settings.drainSeconds),
    log: required('log', settings.log),
    logLevel: required('logLevel', settings.logLevel),
  }
}

function setting<T, const S extends Setting<T>>(definition: S & Setting<T>): S {
  return definition
}

/**
 * Returns the value of a setting for a message. An address, or a list of members, may contain a password. The path of a
 * file that exists is no secret.
 */
function shownValue({ variable, isSecret }: Setting<unknown>, value: string): string {
  if (variable.endsWith('_FILE') && existsSync(value)) return value
  return isSecret || /[@=]|:\/\//.test(value) ? '(hidden)' : value
}
