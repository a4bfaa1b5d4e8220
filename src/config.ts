import { existsSync } from 'node:fs'
import { parseDatabaseUrl } from './database/postgres/database-url.ts'
import {
  readBaseUrl,
  readChoice,
  readCurrency,
  readDirectory,
  readHost,
  readIdleSeconds,
  readInstant,
  readKey,
  readList,
  readNetwork,
  readOrigin,
  readRate,
  readRetention,
  readRetryDelays,
  readSecretKey,
  readSecurityContact,
  readShopName,
  readSwitch,
  readText,
  readTimeZone,
  readWholeNumber,
} from './setting-readers.ts'

/** Thrown for a setting with an invalid value. The message is one sentence that says what is valid. */
export class ConfigError extends Error {}

interface Setting {
  readonly variable: string
  /** The flag with its argument, as `--help` shows it; absent if only the variable sets the setting. */
  readonly flag?: string
  readonly description: string
  /** The text that is read if neither flag nor variable is set. */
  readonly fallback?: string
  /** Set if the value is a secret, or names a file with one: people also put the secret itself there. */
  readonly isSecret?: true
  /** Returns the value of a text. Throws an error whose message says what is valid. */
  readonly read: (text: string) => unknown
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Every setting, with its sources and the function that reads its text. The flag overrides the variable. */
export const settings = {
  host: {
    variable: 'PETSTORE_HOST',
    flag: '--host <address>',
    description: 'address to listen on',
    fallback: '127.0.0.1',
    read: readHost,
  },
  port: {
    variable: 'PETSTORE_PORT',
    flag: '--port <number>',
    description: 'port to listen on; 0 picks a free one',
    fallback: '8080',
    read: text => readWholeNumber(text, 65_535, 'the port must be a number from 0 to 65535.'),
  },
  data: {
    variable: 'PETSTORE_DATA',
    flag: '--data <directory>',
    description: 'directory of the embedded database',
    fallback: './data',
    read: readDirectory,
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    flag: '--database-url <url>',
    description: 'PostgreSQL to use instead of the embedded database',
    isSecret: true,
    read: text => {
      parseDatabaseUrl(text)
      return text
    },
  },
  databasePassword: {
    variable: 'PETSTORE_DATABASE_PASSWORD_FILE',
    description: 'a file that contains the password for DATABASE_URL; it is read again for each connection',
    isSecret: true,
    read: file => {
      readText(file)
      return () => readText(file)
    },
  },
  backups: {
    variable: 'PETSTORE_BACKUPS',
    description:
      'an existing directory, best on another disk, for a backup each night at 03:00 of the shop (embedded database only)',
    read: readDirectory,
  },
  baseUrl: {
    variable: 'PETSTORE_BASE_URL',
    flag: '--base-url <url>',
    description: 'base URL that clients use (default: http://host:port)',
    read: readBaseUrl,
  },
  timeZone: {
    variable: 'PETSTORE_TIME_ZONE',
    description: 'time zone of the shop, such as Europe/Vienna: where its days begin and end',
    fallback: 'UTC',
    read: readTimeZone,
  },
  shopName: {
    variable: 'PETSTORE_SHOP_NAME',
    flag: '--shop-name <name>',
    description: 'name of the shop on its receipts: 1 to 80 characters',
    fallback: 'Petstore',
    read: readShopName,
  },
  currency: {
    variable: 'PETSTORE_CURRENCY',
    description:
      'currency of all prices (ISO 4217), such as USD, until an order has a price (default: what the store has; EUR for a new one)',
    read: readCurrency,
  },
  demo: {
    variable: 'PETSTORE_DEMO',
    flag: '--no-demo',
    description: 'do not load the demo shop into an empty store',
    fallback: 'true',
    read: readSwitch,
  },
  clock: {
    variable: 'PETSTORE_CLOCK',
    flag: '--clock <instant>',
    description: 'initial time of the clock that decides which operations have been retired',
    read: readInstant,
  },
  stability: {
    variable: 'PETSTORE_STABILITY',
    flag: '--stability <level>',
    description: 'serve only operations at least this stable: stable, beta or experimental',
    fallback: 'experimental',
    read: text => readChoice(text, ['stable', 'beta', 'experimental']),
  },
  adminKey: {
    variable: 'PETSTORE_ADMIN_KEY',
    description: 'an admin key to add, instead of generating one at the first start',
    isSecret: true,
    read: readKey,
  },
  adminKeyInFile: {
    variable: 'PETSTORE_ADMIN_KEY_FILE',
    description: 'a file that contains the admin key',
    isSecret: true,
    read: file => readKey(readText(file)),
  },
  secretKey: {
    variable: 'PETSTORE_SECRET_KEY_FILE',
    description:
      'a file that contains the key that encrypts webhook secrets; required with DATABASE_URL (default: secret-key in the data directory, created at the first start)',
    isSecret: true,
    read: file => readSecretKey(readText(file)),
  },
  eventRetention: {
    variable: 'PETSTORE_EVENT_RETENTION',
    description: 'how long to keep events and the audit log: 90d, 36h, or forever',
    fallback: '90d',
    read: readRetention,
  },
  allowPrivateWebhooks: {
    variable: 'PETSTORE_ALLOW_PRIVATE_WEBHOOKS',
    flag: '--allow-private-webhooks',
    description: 'allow webhooks to private addresses, for experiments on your own machine',
    fallback: 'false',
    read: readSwitch,
  },
  webhookRetries: {
    variable: 'PETSTORE_WEBHOOK_RETRIES',
    description:
      'the delays between the attempts of a delivery, separated by commas, such as 1s,5s,1m (default: 5s,5m,30m,2h,5h,10h,14h,20h,24h)',
    read: readRetryDelays,
  },
  rateLimit: {
    variable: 'PETSTORE_RATE_LIMIT',
    description: 'rate limit per key or address, as requests/seconds, or off',
    fallback: '60000/60',
    read: readRate,
  },
  cache: {
    variable: 'PETSTORE_CACHE',
    description:
      'cache of reads (embedded database only): on, off, or verify: compare each hit with the database',
    fallback: 'on',
    read: text => readChoice(text, ['on', 'off', 'verify']),
  },
  mcp: {
    variable: 'PETSTORE_MCP',
    description: 'tools for agents (Model Context Protocol) at /mcp: on or off',
    fallback: 'on',
    read: text => readChoice(text, ['on', 'off']) === 'on',
  },
  corsOrigins: {
    variable: 'PETSTORE_CORS_ORIGINS',
    description: 'origins whose pages may call the store, separated by commas; * allows any',
    fallback: '',
    read: text => readList(text).map(readOrigin),
  },
  trustedProxies: {
    variable: 'PETSTORE_TRUSTED_PROXIES',
    description: 'proxies whose X-Forwarded-For is trusted: addresses or networks, separated by commas',
    fallback: '',
    read: text => readList(text).map(readNetwork),
  },
  securityContact: {
    variable: 'PETSTORE_SECURITY_CONTACT',
    description:
      'where to report a vulnerability, for /.well-known/security.txt: a mailto: or https: address',
    read: readSecurityContact,
  },
  drainSeconds: {
    variable: 'PETSTORE_DRAIN_SECONDS',
    description:
      'seconds to keep serving after SIGTERM while /readyz fails, so that a load balancer sends its requests elsewhere',
    fallback: '0',
    read: text => readWholeNumber(text, 60, 'it must be a number of seconds from 0 to 60.'),
  },
  idleSeconds: {
    variable: 'PETSTORE_IDLE_SECONDS',
    description:
      'seconds until an idle connection is closed: more than the keep-alive time of a load balancer in front',
    fallback: '20',
    read: readIdleSeconds,
  },
  log: {
    variable: 'PETSTORE_LOG_FORMAT',
    flag: '--log <format>',
    description: 'log format: json, pretty (for people), or auto: pretty on a terminal',
    fallback: 'auto',
    read: text => readChoice(text, ['auto', 'json', 'pretty']),
  },
  logLevel: {
    variable: 'PETSTORE_LOG_LEVEL',
    description: `log level: ${levels.join(', ')}`,
    fallback: 'info',
    read: text => readChoice(text, levels),
  },
} satisfies Readonly<Record<string, Setting>>

/** The variables that choose what a command calls, while the settings are those of a store that it serves or opens. */
export const commandVariables = {
  PETSTORE_URL: 'address of the store that a command calls (--url)',
  PETSTORE_KEY: 'key that a command sends, or @ and the name of a file with it (--key)',
  PETSTORE_SANDBOXES: 'address of the host of sandboxes (--host-url)',
} as const

export type CommandVariable = keyof typeof commandVariables

type Settings = typeof settings
type SettingName = keyof Settings

/** The values of all settings. A setting without a value and without a fallback is undefined. */
export type Config = {
  readonly [N in SettingName]:
    | ReturnType<Settings[N]['read']>
    | (Settings[N] extends { fallback: string } ? never : undefined)
}

// Safe: the table has no other keys.
const settingNames = Object.keys(settings) as SettingName[]

/** All settings, as the help shows them. */
export const settingList: readonly Setting[] = Object.values(settings)

/**
 * Returns the text of the variable of a setting; undefined if it is empty. For a Service named `petstore`, Kubernetes
 * sets PETSTORE_PORT to an address such as tcp://10.0.0.1:80, which is not meant for the store.
 */
function variableText(variable: string): string | undefined {
  const text = process.env[variable]
  return variable === 'PETSTORE_PORT' && text?.startsWith('tcp://') ? undefined : text || undefined
}

/** The variables that Kubernetes sets for each Service in a namespace, such as PETSTORE_DB_PORT_5432_TCP_ADDR. */
const FROM_KUBERNETES = /_SERVICE_(HOST|PORT)|_PORT(_\d+_(TCP|UDP|SCTP).*)?$/

/** Returns the variables, by default of the environment, that look like settings and are none: often misspelled. */
export function unknownVariables(names = Object.keys(process.env)): string[] {
  const known: readonly string[] = [
    ...settingList.map(({ variable }) => variable),
    ...Object.keys(commandVariables),
  ]
  return names.filter(
    name => name.startsWith('PETSTORE_') && !known.includes(name) && !FROM_KUBERNETES.test(name),
  )
}

/** Returns a variable of the environment; undefined if it is empty. */
export function environmentText(variable: CommandVariable): string | undefined {
  return process.env[variable] || undefined
}

/** Returns the text of a setting from the environment, or its fallback, without checking it. */
export function settingText(name: SettingName): string | undefined {
  const { variable, fallback }: Setting = settings[name]
  return variableText(variable) ?? fallback
}

/**
 * Returns the settings from the options of a command (by the name of the setting), the environment, and `fallbacks`,
 * which override those of the table. Throws ConfigError, whose message names the flag or variable, its value (unless it
 * may contain a secret) and the valid values.
 */
export function readConfig(
  options: Readonly<Record<string, string | boolean | undefined>>,
  fallbacks: Readonly<Partial<Record<SettingName, string>>> = {},
): Config {
  const read = (name: SettingName): unknown => {
    const setting: Setting = settings[name]
    const { variable, flag = variable } = setting
    const option = optionText(flag, options[name])
    const text = option ?? variableText(variable) ?? fallbacks[name] ?? setting.fallback
    if (text === undefined) return undefined
    try {
      return setting.read(text)
    } catch (error) {
      const [source] = option === undefined ? [variable] : flag.split(' ')
      const reason = error instanceof Error ? error.message : error
      throw new ConfigError(`${source}=${shownValue(setting, text)}: ${reason}`)
    }
  }
  // Safe: each value is what the reader of its setting returns, and is undefined only without a fallback.
  return Object.fromEntries(settingNames.map(name => [name, read(name)])) as Config
}

/** Returns the text that an option sets; undefined if the user did not give it. */
function optionText(flag: string, value: string | boolean | undefined): string | undefined {
  if (typeof value !== 'boolean') return value
  return value === flag.startsWith('--no-') ? undefined : String(value)
}

/**
 * Returns the value of a setting for a message, without the parts that may be a password: all before an @, and the
 * values of parameters. The path of a file that exists is no secret.
 */
function shownValue({ variable, isSecret }: Setting, value: string): string {
  if (variable.endsWith('_FILE') && existsSync(value)) return value
  if (isSecret) return '(hidden)'
  const at = value.lastIndexOf('@')
  const shown = at < 0 ? value : `(hidden)${value.slice(at)}`
  return shown.replaceAll(/=[^&,;\s]*/g, '=(hidden)')
}
