import { existsSync } from 'node:fs'
import { type Config, ConfigError, readConfig, type SettingName, settings } from '../../config.ts'
import { CommandFailed } from '../terminal/terminal.ts'
import { hasDatabase } from './copy-place.ts'

/**
 * Returns the settings of a command that works on one store. Throws CommandFailed like `configFrom`, and if
 * DATABASE_URL names a store but --data names another store or an absent directory, because the user may mean either.
 */
export function storeConfigFrom({
  data,
  databaseUrl,
}: {
  readonly data?: string | undefined
  readonly databaseUrl?: string | undefined
}): Config {
  const config = configFrom({ data, databaseUrl })
  const isAmbiguous = data !== undefined && databaseUrl === undefined && config.databaseUrl !== undefined
  if (isAmbiguous && (hasDatabase(config.data) || !existsSync(config.data))) {
    const named = hasDatabase(config.data) ? 'the store in' : 'the directory'
    const missing = hasDatabase(config.data) ? '' : ', which does not exist'
    throw new CommandFailed(
      `--data names ${named} ${config.data}${missing}, and the variable DATABASE_URL names another store. ` +
        'To choose --data, unset DATABASE_URL. To choose DATABASE_URL, use PETSTORE_DATA in place of --data.',
      2,
    )
  }
  return config
}

/**
 * Returns the settings from the options of a command and from the environment. Throws CommandFailed with a one-sentence
 * message.
 */
export function configFrom(options: Readonly<Record<string, string | boolean | undefined>>): Config {
  const flags: Partial<Record<SettingName, string>> = {}
  for (const { name, flag } of settingList()) {
    const value = options[name]
    if (typeof value === 'string') flags[name] = value
    if (typeof value === 'boolean' && value === !isOnByDefault(flag)) flags[name] = String(value)
  }
  try {
    return readConfig(flags, process.env)
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandFailed(error.message, 2)
    throw error
  }
}

export function settingList(): {
  name: SettingName
  flag?: string
  description: string
  fallback?: string
  variable: string
}[] {
  const entries: [string, { flag?: string; description: string; fallback?: string; variable: string }][] =
    Object.entries(settings)
  return entries.flatMap(([name, entry]) => (isSettingName(name) ? [{ name, ...entry }] : []))
}

function isOnByDefault(flag: string | undefined): boolean {
  return flag?.startsWith('--no-') ?? false
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name)
}
