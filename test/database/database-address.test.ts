import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { parseDatabaseUrl } from '../../src/database/postgres/database-url.ts'
import { findPrimary } from '../../src/database/postgres/primary.ts'
import { testedEngines } from '../support/engines.ts'
import { newDatabase, type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { onPostgres, run, startProcess } from '../support/process.ts'
import { certificate, certificateKey, deadPort } from '../support/receiver.ts'
import { openTestStore } from '../support/store.ts'

const NONE_LEFT =
  'The database has no connection left. A process of the store needs up to 34; its operator must raise ' +
  'max_connections, or the CONNECTION LIMIT of the user or of the database.'

describe.skipIf(!testedEngines.includes('postgres'))('the address of PostgreSQL', () => {
  let server: PostgresServer
  let url: string
  const directory = mkdtempSync(join(tmpdir(), 'petstore-address-'))
  const authority = join(directory, 'ca.pem')
  const passwordFile = join(directory, 'password')

  beforeAll(async () => {
    server = await startPostgresServer()
    url = await newDatabase(server.address)
    writeFileSync(authority, certificate)
    writeFileSync(passwordFile, 'postgres\n')
    const data = join(server.directory, 'data')
    const { uid, gid } = statSync(data)
    for (const [name, text] of Object.entries({ 'server.crt': certificate, 'server.key': certificateKey })) {
      writeFileSync(join(data, name), text)
      chownSync(join(data, name), uid, gid)
      chmodSync(join(data, name), 0o600)
    }
    await using admin = new SQL({ url, max: 1 })
    await admin.unsafe('ALTER SYSTEM SET ssl = on')
    await admin.unsafe('SELECT pg_reload_conf()')
  }, 60_000)

  afterAll(async () => {
    await server.crash()
    rmSync(directory, { recursive: true, force: true })
  })

  const serve = (address: string, env: Record<string, string> = {}) =>
    startProcess(['serve', '--port', '0', '--no-demo', '--data', directory], {
      ...onPostgres(address),
      ...env,
    })

  /** Returns the message with which a store at this address refuses to start. */
  async function refusalOf(address: string, env: Record<string, string> = {}): Promise<string> {
    const args = ['serve', '--port', '0', '--no-demo', '--data', directory]
    const { exitCode, errors } = await run(args, { ...onPostgres(address), ...env })
    expect(exitCode).toBe(1)
    return errors.trim()
  }

  test('a certificate of an unknown authority is refused unless sslrootcert names the authority', async () => {
    expect(await refusalOf(`${url}?sslmode=verify-full`)).toMatch(/cannot be opened: .*certificate/)
    await using trusted = await serve(`${url}?sslmode=verify-full&sslrootcert=${authority}`)
    expect((await fetch(`${trusted.base}/readyz`)).status).toBe(200)
    await using admin = new SQL({ url, max: 1 })
    const sessions = await admin.unsafe(
      `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'petstore'`,
    )
    expect([...sessions]).toEqual([{ ssl: true }])
  }, 60_000)

  test('a certificate for another host is refused, although its authority is known', async () => {
    // The certificate is for 127.0.0.1.
    const other = url.replace('127.0.0.1', 'localhost')
    expect(await refusalOf(`${other}?sslmode=verify-full&sslrootcert=${authority}`)).toMatch(
      /cannot be opened: .*does not match certificate/,
    )
  }, 60_000)

  test('a server without TLS is refused if TLS is required, and the message names the alternatives', async () => {
    const plain = await newDatabase()
    expect(await refusalOf(`${plain}?sslmode=require`)).toContain(
      'has no TLS: configure it, or add ?sslmode=disable if you trust the network',
    )
  }, 60_000)

  test('the password can be read from a file, and a refused password is not in the message', async () => {
    const withoutPassword = url.replace(':postgres@', '@')
    await using served = await serve(withoutPassword, { PETSTORE_DATABASE_PASSWORD_FILE: passwordFile })
    expect((await fetch(`${served.base}/readyz`)).status).toBe(200)
    const refusal = await refusalOf(url.replace(':postgres@', ':hunter2@'))
    expect(refusal).toContain('password authentication failed')
    expect(refusal).not.toContain('hunter2')
  }, 60_000)

  test('if the first of several hosts refuses connections, the store uses the next one', async () => {
    const { host } = new URL(url)
    await using served = await serve(url.replace(host, `127.0.0.1:${await deadPort()},${host}`))
    expect((await fetch(`${served.base}/readyz`)).status).toBe(200)
  }, 60_000)

  test('PGDATABASE in the environment does not override the database of the URL', async () => {
    await using served = await serve(url, { PGDATABASE: 'nowhere' })
    expect((await fetch(`${served.base}/readyz`)).status).toBe(200)
  }, 60_000)

  test('a database whose commits are not durable is refused', async () => {
    const lossy = await newDatabase(server.address)
    await using admin = new SQL({ url: lossy, max: 1 })
    await admin.unsafe(`ALTER DATABASE ${new URL(lossy).pathname.slice(1)} SET synchronous_commit = off`)
    expect(await refusalOf(lossy)).toContain('synchronous_commit is off')
  }, 60_000)

  test.each(['pg_temp', 'pg_temp, public', 'pg_catalog', 'missing', "''"])(
    'a database whose search_path is %s is refused, and gets no table',
    async path => {
      const schemaless = await newDatabase(server.address)
      await using admin = new SQL({ url: schemaless, max: 1 })
      await admin.unsafe(`ALTER DATABASE ${new URL(schemaless).pathname.slice(1)} SET search_path = ${path}`)
      expect(await refusalOf(schemaless)).toMatch(
        /its search_path \(.*\) does not start with a schema for the tables/,
      )
      const tables = await admin.unsafe(`SELECT schemaname FROM pg_tables WHERE tablename = 'migration'`)
      expect([...tables]).toEqual([])
    },
    60_000,
  )

  test('a database whose encoding is not UTF-8 is refused, because it cannot store every name', async () => {
    await using admin = new SQL({ url, max: 1 })
    await admin.unsafe("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    expect(await refusalOf(`${url.slice(0, url.lastIndexOf('/'))}/latin`)).toContain('its encoding is LATIN1')
  }, 60_000)

  test('a database that is read-only by default is refused, and the message names the setting', async () => {
    const readable = await newDatabase(server.address)
    await using admin = new SQL({ url: readable, max: 1 })
    const name = new URL(readable).pathname.slice(1)
    await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    expect(await refusalOf(readable)).toContain('default_transaction_read_only is on')
  }, 60_000)

  test('of several hosts that respond, the first that accepts writes is the primary', async () => {
    const [readable, writable] = [await newDatabase(server.address), await newDatabase(server.address)]
    await using admin = new SQL({ url: readable, max: 1 })
    const name = new URL(readable).pathname.slice(1)
    await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    const [standby, primary, other] = [readable, writable, writable].flatMap(
      text => parseDatabaseUrl(text).hosts,
    )
    if (!standby || !primary || !other) throw new Error('a URL names no host')
    expect(await findPrimary([standby, primary, other])).toBe(primary)
  }, 60_000)

  test('a start fails with one sentence if the database user has reached its connection limit', async () => {
    const few = await newDatabase(server.address)
    await using admin = new SQL({ url: few, max: 1 })
    await admin.unsafe("CREATE ROLE few LOGIN PASSWORD 'few' CONNECTION LIMIT 0")
    const refusal = await refusalOf(few.replace('postgres:postgres@', 'few:few@'))
    expect(refusal).toBe(`The database at DATABASE_URL cannot be opened: ${NONE_LEFT}`)
  }, 60_000)

  test.each([1, 2, 3, 5])(
    'a start with only %d connections fails with the number of connections that the store needs',
    async limit => {
      const few = await newDatabase(server.address)
      await using admin = new SQL({ url: few, max: 1 })
      await admin.unsafe(`CREATE ROLE only_${limit} LOGIN PASSWORD 'few' CONNECTION LIMIT ${limit}`)
      await admin.unsafe(`GRANT ALL ON SCHEMA public TO only_${limit}`)
      const refusal = await refusalOf(few.replace('postgres:postgres@', `only_${limit}:few@`))
      expect(refusal).toEndWith(`: ${NONE_LEFT}`)
    },
    60_000,
  )

  test('a store uses the first schema of the search_path', async () => {
    const own = await newDatabase(server.address)
    await using admin = new SQL({ url: own, max: 1 })
    await admin.unsafe('CREATE SCHEMA shop')
    await admin.unsafe(`ALTER DATABASE ${new URL(own).pathname.slice(1)} SET search_path = shop, public`)
    await using served = await serve(own)
    expect((await fetch(`${served.base}/readyz`)).status).toBe(200)
    const tables = await admin.unsafe(`SELECT DISTINCT schemaname FROM pg_tables WHERE tablename = 'pet'`)
    expect([...tables]).toEqual([{ schemaname: 'shop' }])
  }, 60_000)

  test('a store whose database is dropped responds with 503', async () => {
    await using store = await openTestStore('postgres', { server: server.address })
    const database = new URL(store.place.databaseUrl ?? '').pathname.slice(1)
    await using admin = new SQL({ url, max: 1 })
    await admin.unsafe(`DROP DATABASE ${database} WITH (FORCE)`)
    expect((await store.send('GET', '/pets/1')).status).toBe(503)
    expect((await store.send('GET', '/readyz')).status).toBe(503)
  }, 60_000)

  test('a store does not start behind a pooler that refuses the settings of a session, and says why', async () => {
    const text = 'SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0'
    const message = Buffer.alloc(5 + text.length)
    message.write('E')
    message.writeInt32BE(4 + text.length, 1)
    message.write(text, 5)
    const pooler = createServer(socket => socket.once('data', () => socket.end(message)))
    const port = await deadPort()
    await new Promise<void>(resolve => pooler.listen(port, '127.0.0.1', resolve))
    expect(await refusalOf(`postgres://u@127.0.0.1:${port}/shop`)).toContain(
      'not to a pooler such as PgBouncer',
    )
    pooler.close()
  }, 60_000)

  test('a database that cannot be reached ends the start with one sentence', async () => {
    const port = await deadPort()
    const sentence = `PostgreSQL cannot be reached at 127.0.0.1:${port} (failed to connect).`
    expect(await refusalOf(`postgres://u@127.0.0.1:${port}/shop`)).toBe(
      `The database at DATABASE_URL cannot be opened: ${sentence}`,
    )
    expect(await refusalOf('postgres://u@host.invalid/shop')).toMatch(
      /cannot be reached at host\.invalid:5432 \(.*\)\.$/,
    )
  }, 60_000)

  test('the schema of a URL for Prisma has the tables, and its other parameters do no harm', async () => {
    await using admin = new SQL({ url, max: 1, bigint: true })
    await admin.unsafe('CREATE SCHEMA shop')
    const parameters = 'sslmode=disable&schema=shop&connection_limit=5&pool_timeout=10&pgbouncer=false'
    await using started = await serve(`${url}?${parameters}`)
    expect((await fetch(`${started.base}/readyz`)).status).toBe(200)
    expect([...(await admin.unsafe('SELECT count(*) AS n FROM shop.category'))]).toEqual([{ n: 0n }])
  })

  test('with sslrootcert=system, a certificate of an unknown authority is refused', async () => {
    expect(await refusalOf(`${url}?sslrootcert=system`)).toContain('certificate')
  })
})
