import { Database } from 'bun:sqlite'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { databaseFile } from '../src/database/sqlite/database-file.ts'
import manifest from './peers/package.json'
import { freePort, pathOf, type Server, startServer } from './server.ts'
import { type Place, RUNTIME_ENVIRONMENT } from './store.ts'

/** Returns the names of the packages of the peers, with their versions. */
export function peerVersions(): string {
  const versions = Object.entries(manifest.dependencies).map(([name, version]) => `${name} ${version}`)
  return versions.join(', ')
}

/** Installs the peers from their lockfile, unless npm has done so since it last changed. */
export function installPeers(): void {
  // At the end of an installation, npm writes this copy of the lockfile.
  const copy = pathOf('peers/node_modules/.package-lock.json')
  if (existsSync(copy) && statSync(copy).mtimeMs >= statSync(pathOf('peers/package-lock.json')).mtimeMs)
    return
  process.stderr.write('  npm ci in bench/peers installs the peers, once. It may compile better-sqlite3.\n')
  // A native package is compiled with the headers that come with Node. Otherwise npm would download the headers.
  const prefix = dirname(dirname(realpathSync(Bun.which('node') ?? '')))
  const headers = existsSync(join(prefix, 'include/node/node.h')) ? { npm_config_nodedir: prefix } : undefined
  const { exitCode } = Bun.spawnSync(['npm', 'ci', '--no-audit', '--no-fund'], {
    cwd: pathOf('peers'),
    env: { ...headers, ...process.env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (exitCode !== 0) throw new Error('npm could not install the peers: see its error above')
}

/** Starts the pet store on Hono and bun:sqlite, with the pets of a store that is not running. */
export function startHono(directory: string, place: Place): Promise<Server> {
  return startPeer([process.execPath, pathOf('peers/hono-server.mjs')], join(directory, 'hono.db'), place)
}

/** Starts the pet store on Fastify and better-sqlite3, with the pets of a store that is not running. */
export function startFastify(directory: string, place: Place): Promise<Server> {
  return startPeer(['node', pathOf('peers/fastify-server.mjs')], join(directory, 'fastify.db'), place)
}

function startPeer(command: readonly string[], file: string, place: Place): Promise<Server> {
  copyPets(databaseFile(place.directory), file)
  const port = freePort()
  const environment = { ...RUNTIME_ENVIRONMENT, NODE_ENV: 'production' }
  return startServer(port, [...command, JSON.stringify({ port, file })], environment)
}

/** Copies the table of pets with its rows and primary key. The peer needs no other index. */
function copyPets(from: string, to: string): void {
  using database = new Database(from)
  const schema = database.query<{ sql: string }, []>(`SELECT sql FROM sqlite_schema WHERE name = 'pet'`).get()
  // ATTACH creates the file.
  database.run('ATTACH ? AS peer', [to])
  database.run(schema?.sql.replace('CREATE TABLE pet', 'CREATE TABLE peer.pet') ?? '')
  database.run('INSERT INTO peer.pet SELECT * FROM main.pet')
}
