import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ROOT } from '../support/root.ts'

export const RELEASES = import.meta.dir
/** The versions that are kept, the first one first. */
export const releases = readdirSync(RELEASES, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)
  .toSorted(Bun.semver.order)
export const lastRelease = releases.at(-1) ?? ''
export const DESCRIPTIONS = ['openapi.yaml', 'openapi-sandboxes.yaml'] as const
const SCRIPTS = join(ROOT, 'src/database/migrations')

/** The lists that a store of a release served, apart from those that tell the time. */
const LISTS = [
  '/categories?limit=100',
  '/pets?include=stock&limit=100',
  '/store/orders?limit=100',
  '/store/sales?limit=100',
  '/store/inventory?limit=100',
  '/keys?limit=100',
  '/webhooks?limit=100',
  '/events?limit=100',
]

/** Returns a text that is kept of a release. */
export function readKept(release: string, name: string): string {
  return gunzipSync(readFileSync(join(RELEASES, release, `${name}.gz`))).toString()
}

/** Unpacks the backup of a release into a new directory. */
export function unpackBackup(release: string, to: string): void {
  mkdirSync(to)
  const { exitCode, stderr } = Bun.spawnSync([
    'tar',
    'xzf',
    join(RELEASES, release, 'backup.tar.gz'),
    '-C',
    to,
  ])
  if (exitCode !== 0) throw new Error(stderr.toString())
}

/** Returns the hash of each script of the migrations, by engine and name. */
export function scriptHashes(): Record<string, string> {
  return Object.fromEntries(
    ['postgres', 'sqlite'].flatMap(engine =>
      readdirSync(join(SCRIPTS, engine)).map(name => {
        const bytes = readFileSync(join(SCRIPTS, engine, name))
        return [`${engine}/${name}`, new Bun.CryptoHasher('sha256').update(bytes).digest('hex')]
      }),
    ),
  )
}

/** Returns the first page of each of `LISTS`. */
export async function readLists(base: string, key: string): Promise<Record<string, unknown>> {
  const lists: Record<string, unknown> = {}
  for (const path of LISTS) {
    const response = await fetch(`${base}${path}`, { headers: { Authorization: `Bearer ${key}` } })
    // The source of an event is the address of the store, which may have moved.
    const text = (await response.text()).replaceAll(/"source":"[^"]*",/g, '')
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
    lists[path] = JSON.parse(text)
  }
  return lists
}
