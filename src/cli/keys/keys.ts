import { type Command, Option } from 'commander'
import { ApiError, ConnectionError, TimeoutError } from '../../client/petstore-client.ts'
import { StoreError } from '../../contract/error.ts'
import { DirectoryInUse } from '../../database/sqlite/data-lock.ts'
import { resetAdminKey } from '../../serving/first-start.ts'
import { NewApiKey, Scope } from '../../shop/keys/schema.ts'
import { durationMs } from '../../values/duration.ts'
import { mayHaveTakenEffect } from '../../values/effect.ts'
import { formatInstantMs, parseInstantMs } from '../../values/instant.ts'
import { parseInt64 } from '../../values/int64.ts'
import { similarName } from '../../values/similar-name.ts'
import { isRefusedConnection, UNKNOWN_OUTCOME } from '../operations/request-failure.ts'
import { adminKeyFile, adminKeyPath } from '../store-access/admin-key-file.ts'
import { keyForRunning, runningAddress } from '../store-access/running-store.ts'
import { openStopped } from '../store-access/stopped-store.ts'
import { addPlaceOptions, existingStoreFrom, type PlaceOptions } from '../store-access/store-config.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, print, reasonOf, say } from '../terminal/terminal.ts'
import { alignedLines } from '../terminal/text-table.ts'
import { engineKeys, type KeyAccess, runningKeys } from './key-access.ts'

interface KeysOptions extends PlaceOptions {
  readonly key?: string
}

const ACCESS_HELP = `
On a stopped store, no key is needed. A running store is accessed over HTTP, at its address on this machine; the key
comes from --key, PETSTORE_KEY, PETSTORE_ADMIN_KEY or the file admin-key in the data directory. The audit log records
each change.`

const LIST_HELP = `${ACCESS_HELP}

Examples:
  petstore keys list
  petstore keys list --data /var/lib/petstore`

const CREATE_HELP = `${ACCESS_HELP}

Only the key is printed on standard output. The store keeps only its hash: save the key at once.

Scopes:
${Scope.options.map(scope => `  ${scope}`).join('\n')}

Examples:
  petstore keys create --name "till 1" --scope orders:read --scope orders:write
  petstore keys create --name courier --scope events:read --expires 30d > courier-key`

const REVOKE_HELP = `${ACCESS_HELP}

Examples:
  petstore keys list
  petstore keys revoke 3`

const RESET_HELP = `
Use this if the admin key is lost. No key is needed. A store on SQLite must be stopped. The new key replaces the one
in the file admin-key. The other keys stay valid; --revoke-others revokes those with the scope admin.

Examples:
  petstore keys reset-admin
  petstore keys reset-admin --revoke-others`

/** Adds the command `keys`, which manages the keys of a running or stopped store. */
export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('list, create and revoke keys, or replace a lost admin key')
  const withStoreOptions = (command: Command, help: string): Command =>
    addPlaceOptions(command).addHelpText('after', help)
  const withKeyOption = (command: Command, help: string): Command =>
    withStoreOptions(command, help).option(
      '--key <key>',
      'a key with keys:manage, for a running store [PETSTORE_KEY]',
    )
  withKeyOption(keys.command('list').description('list the keys, without their secrets'), LIST_HELP).action(
    runList,
  )
  const create = keys
    .command('create')
    .description('create a key, and print it')
    .option('--name <name>', 'what the key is for')
    .option('--scope <scope>', 'a permission of the key; may be repeated', addScope)
    // The command create-key names this option --scopes.
    .addOption(new Option('--scopes <scope>').argParser(addScope).hideHelp())
    .option('--expires <when>', 'when the key expires: in 30d or 36h, or at an instant', readExpiry)
  withKeyOption(create, CREATE_HELP).action(runCreate)
  withKeyOption(keys.command('revoke <id>').description('revoke a key at once'), REVOKE_HELP).action(
    runRevoke,
  )
  const reset = keys
    .command('reset-admin')
    .description(
      'replace a lost admin key: create one, and write it to the file admin-key in the data directory',
    )
    .option('--revoke-others', 'revoke every other key with the scope admin')
  withStoreOptions(reset, RESET_HELP).action(runReset)
}

function addScope(text: string, scopes: readonly Scope[] = []): Scope[] {
  const scope = Scope.safeParse(text)
  if (scope.success) return [...new Set([...scopes, scope.data])]
  const meant = similarName(text, Scope.options)
  const hint = meant === undefined ? `the scopes are ${Scope.options.join(', ')}.` : `did you mean ${meant}?`
  throw new CommandFailed(`There is no scope ${escapeControls(text)}: ${hint}`, EXIT_USAGE)
}

/** Returns an instant, or a time from now such as `30d` or `36h`, as RFC 3339 text. Throws CommandFailed. */
function readExpiry(text: string): string {
  const afterMs = durationMs(text, 'dh')
  const at = afterMs === undefined ? parseInstantMs(text) : Date.now() + afterMs
  if (at !== undefined) return formatInstantMs(at)
  throw new CommandFailed(
    '--expires must be a number of days (30d) or hours (36h), or an instant (2027-01-31T00:00:00Z).',
    EXIT_USAGE,
  )
}

async function runList(options: KeysOptions): Promise<void> {
  await withKeys(options, 'read', async keys => {
    const rows = [['ID', 'NAME', 'SCOPES', 'ENDS WITH', 'CREATED', 'EXPIRES']]
    for await (const { id, name, scopes, hint, createdAt, expiresAt } of keys.list()) {
      rows.push([String(id), escapeControls(name), scopes.join(','), hint, createdAt, expiresAt ?? 'never'])
    }
    for (const line of alignedLines(rows)) await print(`${line}\n`)
  })
}

interface CreateOptions extends KeysOptions {
  readonly name?: string
  readonly scope?: readonly Scope[]
  readonly scopes?: readonly Scope[]
  readonly expires?: string
}

async function runCreate({ name, expires, ...options }: CreateOptions): Promise<void> {
  const scope = [...(options.scope ?? []), ...(options.scopes ?? [])]
  if (name === undefined || scope.length === 0)
    throw new CommandFailed(
      'Specify what the key is for with --name, and its permissions with --scope.',
      EXIT_USAGE,
    )
  const body = { name, scopes: scope, ...(expires !== undefined && { expiresAt: expires }) }
  // The parsers of the options have checked the other members.
  if (!NewApiKey.safeParse(body).success)
    throw new CommandFailed('--name must have 1 to 200 characters.', EXIT_USAGE)
  await withKeys(options, 'change', async keys => {
    const { id, key, expiresAt } = await keys.create(body)
    try {
      await print(`${key}\n`)
    } catch (error) {
      const remedy = `Key ${id} was created, but nobody can know it: revoke it with "petstore keys revoke ${id}".`
      throw new CommandFailed(`${error instanceof Error ? error.message : error} ${remedy}`)
    }
    const until = expiresAt === undefined ? 'It does not expire.' : `It expires at ${expiresAt}.`
    say(`Created key ${id}, ${JSON.stringify(escapeControls(name))}, with ${scope.join(', ')}. ${until}`)
    say('The store cannot show the key again: save it.')
  })
}

async function runRevoke(text: string, options: KeysOptions): Promise<void> {
  const keyId = parseInt64(text)
  if (keyId === undefined || keyId < 1n) {
    throw new CommandFailed(
      `${escapeControls(text)} is not the id of a key: "petstore keys list" shows the ids.`,
      EXIT_USAGE,
    )
  }
  await withKeys(options, 'change', async keys => {
    await keys.revoke(keyId)
    say(`Key ${keyId} was revoked.`)
  })
}

async function withKeys(
  options: KeysOptions,
  kind: 'read' | 'change',
  work: (keys: KeyAccess) => Promise<void>,
): Promise<void> {
  const config = existingStoreFrom(options)
  try {
    await using store = await openStopped(config)
    await work(engineKeys(store.engine))
  } catch (error) {
    if (error instanceof DirectoryInUse) {
      const base = runningAddress(config, error)
      const key = keyForRunning(config, options.key, 'keys:manage')
      return await work(runningKeys(base, key)).catch(refused => {
        throw failureOf(refused, kind)
      })
    }
    throw failureOf(error, kind)
  }
}

function failureOf(error: unknown, kind: 'read' | 'change'): unknown {
  const unclear = `${UNKNOWN_OUTCOME} "petstore keys list" shows it.`
  if (error instanceof ApiError && error.status === 401) {
    const remedy = 'If the admin key is lost, stop the store and run "petstore keys reset-admin".'
    return new CommandFailed(`The store refused: ${error.message} ${remedy}`)
  }
  if (error instanceof StoreError || error instanceof ApiError) {
    return kind === 'change' && mayHaveTakenEffect(error)
      ? new CommandFailed(`The store did not confirm the change (${error.code}). ${unclear}`)
      : new CommandFailed(`The store refused: ${error.message}`)
  }
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    const hasArrived = kind === 'change' && !isRefusedConnection(error.cause)
    return new CommandFailed(
      `The running store does not respond: ${reasonOf(error)}.${hasArrived ? ` ${unclear}` : ''}`,
    )
  }
  return error
}

interface ResetAdminOptions extends KeysOptions {
  readonly revokeOthers?: boolean
}

async function runReset({ data, databaseUrl, revokeOthers = false }: ResetAdminOptions): Promise<void> {
  const config = existingStoreFrom({ data, databaseUrl })
  await using store = await openStopped(config, { advice: 'Stop it first, then reset the key.' })
  await resetAdminKey(store.engine, adminKeyFile(config.data), revokeOthers, store.engine.clock)
  const others = revokeOthers ? ' Every other key with the scope admin was revoked.' : ''
  say(`The new admin key is in ${adminKeyPath(config.data)}.${others}`)
}
