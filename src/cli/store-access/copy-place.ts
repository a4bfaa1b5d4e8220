import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  type DatabaseAddress,
  isDatabaseAddress,
  parseDatabaseUrl,
  URL_FORM,
} from '../../database/postgres/database-url.ts'
import { readDirectory } from '../../setting-readers.ts'
import { CommandFailed, EXIT_USAGE, escapeControls } from '../terminal/terminal.ts'

/** The options of a command that makes a store from another one. */
export interface FromAndTo {
  readonly from?: string
  readonly to?: string
}

/** Where a copy comes from or goes to. */
export type CopyPlace =
  | { readonly kind: 'directory'; readonly directory: string; readonly name: string }
  | { readonly kind: 'database'; readonly address: DatabaseAddress; readonly name: string }

/**
 * Returns the place that an option names: a data directory, or a URL of PostgreSQL. `passwordOf` returns the password
 * for a URL that has none. Throws CommandFailed, whose message has no password.
 */
export function parsePlace(option: string, text: string, passwordOf: (() => string) | undefined): CopyPlace {
  try {
    if (/^postgres(ql)?:/i.test(text)) {
      const hasPassword = parseDatabaseUrl(text).hosts.some(({ url }) => {
        const { password, searchParams } = new URL(url)
        return password !== '' || searchParams.has('password')
      })
      const address = parseDatabaseUrl(text, hasPassword ? undefined : passwordOf)
      return { kind: 'database', address, name: databaseName(address) }
    }
    if (isDatabaseAddress(text)) throw new Error(`it must be a directory, or a URL such as ${URL_FORM}.`)
    return { kind: 'directory', directory: readDirectory(text), name: escapeControls(text) }
  } catch (error) {
    throw new CommandFailed(`${option}: ${error instanceof Error ? error.message : error}`, EXIT_USAGE)
  }
}

/** Returns whether two places have the same name. One database can have several names, so false proves nothing. */
export function isSamePlace(one: CopyPlace, other: CopyPlace): boolean {
  if (one.kind === 'directory' && other.kind === 'directory') {
    return realPath(one.directory) === realPath(other.directory)
  }
  if (one.kind !== 'database' || other.kind !== 'database') return false
  const targets = (address: DatabaseAddress): string[] =>
    address.hosts.map(host => host.name + databaseOf(host))
  return targets(one.address).some(target => targets(other.address).includes(target))
}

/** Returns `host:port,host:port/database`, for messages. */
export function databaseName({ hosts }: DatabaseAddress): string {
  const [first] = hosts
  const names = hosts.map(({ name }) => name).join(',')
  return escapeControls(names + (first ? databaseOf(first) : ''))
}

/** Returns the path of a URL, which is the name of its database: `/shop`. */
function databaseOf({ url }: { readonly url: string }): string {
  return decodeURIComponent(new URL(url).pathname)
}

function realPath(directory: string): string {
  return existsSync(directory) ? realpathSync(directory) : resolve(directory)
}
