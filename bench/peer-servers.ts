import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { databaseFile } from '../src/database/sqlite/database-file.ts'
import { freePort, programFile, type ServerProcess, startCommand, startServerProcess } from './child.ts'
import { type Node, peerFile } from './peer-packages.ts'
import { type Place, START_ENVIRONMENT } from './store.ts'

// The peers of the store. Node runs the script of each peer directly, so that each is one process.

const DESCRIPTION = programFile('../openapi.yaml')

/** The runtime of a peer, and a directory for its files. */
export interface PeerHost {
  readonly node: Node
  readonly directory: string
}

/** Returns the path of Fastify's database in the directory of its host. */
export function fastifyDatabaseFile({ directory }: PeerHost): string {
  return join(directory, 'fastify.db')
}

/** Starts the pet store on Fastify and better-sqlite3, with the pets of a store that is not running. */
export function startFastify(host: PeerHost, place: Place): Promise<ServerProcess> {
  const file = fastifyDatabaseFile(host)
  copyShop(databaseFile(place.directory), file)
  return startPeer(host, port => [peerFile('fastify-server.mjs'), JSON.stringify({ port, file })])
}

/** Starts the pet store on Hono and bun:sqlite, with the pets of a store that is not running. */
export function startHono(directory: string, place: Place): Promise<ServerProcess> {
  const file = join(directory, 'hono.db')
  copyShop(databaseFile(place.directory), file)
  const port = freePort()
  return startServerProcess(
    [peerFile('hono-server.mjs'), JSON.stringify({ port, file })],
    START_ENVIRONMENT,
    port,
  )
}

/** Starts json-server with one pet. */
export function startJsonServer(host: PeerHost, petText: string): Promise<ServerProcess> {
  const file = join(host.directory, 'json-server.json')
  writeFileSync(file, `{"pets":[${petText}]}`)
  return startPeer(host, port => [
    peerFile('node_modules', 'json-server', 'lib', 'cli', 'bin.js'),
    ...['--quiet', '--host', '127.0.0.1', '--port', String(port), file],
  ])
}

/** Starts Prism with the description of the store, in one process. A second process would only format its log. */
export function startPrism(host: PeerHost): Promise<ServerProcess> {
  return startPeer(host, port => [
    peerFile('node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js'),
    ...['mock', '--host', '127.0.0.1', '--port', String(port)],
    ...['--multiprocess=false', '--verboseLevel', 'silent', DESCRIPTION],
  ])
}

/** Starts Mockoon with one route that responds with a constant text. */
export function startMockoon(host: PeerHost, target: string, petText: string): Promise<ServerProcess> {
  const file = join(host.directory, 'mockoon.json')
  writeFileSync(file, JSON.stringify(mockoonEnvironment(target, petText)))
  return startPeer(host, port => [
    peerFile('node_modules', '@mockoon', 'cli', 'bin', 'run.js'),
    ...['start', '--data', file, '--hostname', '127.0.0.1', '--port', String(port)],
    ...['--disable-log-to-file', '--disable-admin-api'],
  ])
}

function startPeer(
  { node, directory }: PeerHost,
  argumentsFor: (port: number) => readonly string[],
): Promise<ServerProcess> {
  const port = freePort()
  // Mockoon keeps files in the home directory, so it gets a directory that is not the user's.
  const environment = { HOME: directory, NODE_ENV: 'production' }
  return startCommand([node.path, ...argumentsFor(port)], environment, port)
}

/** Copies the tables of pets and orders with their rows and primary keys. The peer needs no other index. */
function copyShop(from: string, to: string): void {
  using database = new Database(from)
  const tables = ['pet', 'orders']
  const created = tables.map(name => {
    const find = database.query<{ sql: string }, [string]>(
      `SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?`,
    )
    const statement = find.get(name)?.sql
    if (statement === undefined) throw new Error(`${from} has no table ${name}`)
    return statement.replace(`CREATE TABLE ${name}`, `CREATE TABLE peer.${name}`)
  })
  // ATTACH creates the file.
  database.run('ATTACH ? AS peer', [to])
  for (const statement of created) database.run(statement)
  for (const name of tables) database.run(`INSERT INTO peer.${name} SELECT * FROM main.${name}`)
}

function mockoonEnvironment(target: string, body: string): object {
  const response = {
    uuid: '00000000-0000-4000-8000-000000000003',
    body,
    statusCode: 200,
    headers: [{ key: 'Content-Type', value: 'application/json' }],
    // A template would be evaluated for each request.
    disableTemplating: true,
  }
  const route = {
    uuid: '00000000-0000-4000-8000-000000000002',
    type: 'http',
    method: 'get',
    endpoint: target.slice(1),
    responses: [response],
  }
  return {
    uuid: '00000000-0000-4000-8000-000000000001',
    // The version of the format of this file. Mockoon migrates a file of an older version.
    lastMigration: 33,
    name: 'petstore',
    routes: [route],
  }
}
