import { Database } from 'bun:sqlite'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { draftOf } from '../../files/draft.ts'
import {
  makeDirectory,
  makePrivate,
  syncDirectory,
  syncFile,
  writeWholeFile,
} from '../../files/private-file.ts'
import { Registry } from '../../sandboxes/registry/registry.ts'
import { registryFile } from '../../sandboxes/registry/registry-file.ts'
import { countText } from '../../values/count-text.ts'
import { formatInstantMs } from '../../values/instant.ts'
import { BackupFile, describeFile } from '../backup-files/backup-manifest.ts'
import { publish, refuseUsedDirectory } from '../backup-files/new-directory.ts'
import { lockStopped } from '../store-access/stopped-store.ts'
import { configFrom } from '../store-access/store-config.ts'
import { interruptedBySignals } from '../terminal/interruption.ts'
import { CommandFailed, escapeControls, reasonOf, say } from '../terminal/terminal.ts'
import { HOST_DATA } from './host.ts'

/** The manifest of the backup of a host. That of a store has another name. */
const MANIFEST_FILE = 'sandboxes.json'
const FORMAT = 1
const HOST_FILE = /^(?:sandboxes\.db(?:-wal)?|host-key)$/
const SANDBOX_FILE =
  /^sandboxes\/[a-z0-9]{26}\/(?:[a-z-]+\.(?:db|db-wal|ndjson)|requests-cleared|snapshots\/[a-z0-9-]+\.db)$/

const HostManifest = z.strictObject({
  format: z.literal(FORMAT),
  createdAt: z.string().max(50),
  files: z.record(z.string().refine(isHostFile), BackupFile),
})
type HostManifest = z.infer<typeof HostManifest>

/**
 * Returns whether a backup has a file: not the templates, which each start builds, the lock, and files that are being
 * written.
 */
function isHostFile(name: string): boolean {
  return HOST_FILE.test(name) || SANDBOX_FILE.test(name)
}

/** Adds the commands that copy a whole host to the command `sandboxes`. */
export function addHostCopies(sandboxes: Command): void {
  sandboxes
    .command('backup')
    .description('back up a stopped host, with its classes, sandboxes and keys')
    .option('--data <directory>', `directory of the sandboxes (default: ${HOST_DATA}) [PETSTORE_DATA]`)
    .requiredOption('--to <directory>', 'the directory of the backup: a new one, or an empty one')
    .action((_, command: Command) => {
      // The command `sandboxes` has an option of the same name, and takes its value.
      const { data, to } = command.optsWithGlobals<HostCopyOptions>()
      return backupHost(configFrom({ data }, { data: HOST_DATA }).data, to)
    })
  sandboxes
    .command('restore')
    .description('make a host from a backup, in an empty directory')
    .requiredOption('--from <directory>', 'the directory of the backup')
    .requiredOption('--to <directory>', 'an empty or absent directory')
    .action(({ from, to }: HostCopyOptions) => restoreHost(from, to))
}

interface HostCopyOptions {
  readonly data?: string
  readonly from: string
  readonly to: string
}

/** Copies the directory of a stopped host to a new one, which is complete or does not exist. Throws CommandFailed. */
async function backupHost(data: string, to: string): Promise<void> {
  if (!existsSync(registryFile(data)))
    throw new CommandFailed(`There is no host of sandboxes in ${escapeControls(data)}.`)
  refuseUsedDirectory(to, escapeControls(to))
  using _ = lockStopped(data, 'Stop the host to back it up. Nothing was backed up.')
  await makeWhole(to, 'backup', async (draft, signal) => {
    const createdAt = formatInstantMs(Date.now())
    const found = readdirSync(data, { recursive: true, encoding: 'utf8' })
    const names = found.map(name => name.replaceAll(sep, '/')).filter(name => isHostFile(name))
    await copyFiles(names, data, draft, signal)
    const facts = factsOf(draft)
    // The check has moved the write-ahead log of the registry into its file.
    const left = names.filter(name => existsSync(join(draft, name)))
    const files = await describeFiles(left, draft, signal)
    const manifest: HostManifest = { format: FORMAT, createdAt, files }
    writeWholeFile(join(draft, MANIFEST_FILE), `${JSON.stringify(manifest)}\n`, { replace: false })
    return `Backed up ${facts} to ${escapeControls(to)}. It has all keys of the host: keep it as safe as the host.`
  })
}

/** Makes the directory of a host from a backup. Throws CommandFailed, also if a file of the backup is damaged. */
async function restoreHost(from: string, to: string): Promise<void> {
  const name = escapeControls(to)
  refuseUsedDirectory(to, name)
  const manifest = readManifest(from)
  await makeWhole(to, 'restore', async (draft, signal) => {
    const names = Object.keys(manifest.files)
    await copyFiles(names, from, draft, signal)
    // The copies are checked, so that a mistake of the disk while they were made is found too.
    const copied = await describeFiles(names, draft, signal)
    for (const [file, { bytes, sha256 }] of Object.entries(manifest.files))
      if (copied[file]?.bytes !== bytes || copied[file].sha256 !== sha256)
        throw new CommandFailed(
          `The backup in ${escapeControls(from)} is damaged: ${file} is not the file that was backed up.`,
        )
    const facts = factsOf(draft)
    return `Restored ${facts} of ${manifest.createdAt} to ${name}. Next: petstore sandboxes --data ${name}`
  })
}

/** Makes a directory whole under another name, and then gives it its name. `make` returns what to say at the end. */
async function makeWhole(
  directory: string,
  task: 'backup' | 'restore',
  make: (draft: string, signal: AbortSignal) => Promise<string>,
): Promise<void> {
  const name = escapeControls(directory)
  const target = resolve(directory)
  const draft = draftOf(target)
  using interruption = interruptedBySignals(`Nothing was left in ${name}.`)
  try {
    makeDirectory(draft)
    const report = await make(draft, interruption.signal)
    interruption.signal.throwIfAborted()
    publish(draft, target, name)
    say(report)
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    const reason = escapeControls(reasonOf(error))
    throw new CommandFailed(`The ${task} failed: ${reason}. Nothing was left in ${name}.`)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Copies files durably. Their directories are made. */
async function copyFiles(
  names: readonly string[],
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  for (const name of names) {
    signal.throwIfAborted()
    const copy = join(to, name)
    makeDirectory(dirname(copy))
    await copyFile(join(from, name), copy).catch(error => {
      throw new CommandFailed(`${escapeControls(join(from, name))} cannot be read: ${reasonOf(error)}.`)
    })
    makePrivate(copy)
    // A snapshot was taken in the millisecond in which its file was written. Its middle is safe from rounding.
    const seconds = (Math.floor(statSync(join(from, name)).mtimeMs) + 0.5) / 1000
    utimesSync(copy, seconds, seconds)
    syncFile(copy)
  }
  for (const directory of new Set(names.map(name => dirname(join(to, name))))) syncDirectory(directory)
}

async function describeFiles(
  names: readonly string[],
  directory: string,
  signal: AbortSignal,
): Promise<HostManifest['files']> {
  const files: HostManifest['files'] = {}
  for (const name of names)
    files[name] = await describeFile(join(directory, name), { signal, onBytes: () => {} })
  return files
}

/** Checks the registry of a copied host, and returns what the host has, as text. Throws an Error if it is damaged. */
function factsOf(directory: string): string {
  const file = registryFile(directory)
  {
    using database = new Database(file, { readwrite: true })
    const check = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get()
    if (check?.integrity_check !== 'ok') throw new Error(`the registry is damaged: ${check?.integrity_check}`)
  }
  const registry = new Registry(file)
  try {
    const classes = countText(registry.records('class').length, 'class', 'classes')
    const students = countText(registry.records('student').length, 'student')
    return `${classes}, ${students} and ${countText(registry.all().length, 'sandbox', 'sandboxes')}`
  } finally {
    registry.close()
  }
}

function readManifest(directory: string): HostManifest {
  const name = escapeControls(directory)
  try {
    return HostManifest.parse(JSON.parse(readFileSync(join(directory, MANIFEST_FILE), 'utf8')))
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError)
      throw new CommandFailed(
        `The ${MANIFEST_FILE} of ${name} is damaged, or of a newer petstore. Nothing was restored.`,
      )
    throw new CommandFailed(`The ${MANIFEST_FILE} of ${name} cannot be read: ${reasonOf(error)}.`)
  }
}
