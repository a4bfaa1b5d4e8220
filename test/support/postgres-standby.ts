import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openPostgresProxy, type PostgresProxy } from './postgres-proxy.ts'
import { type PostgresServer, startPostgresIn } from './postgres-server.ts'
import { runToEnd } from './process.ts'
import { until } from './until.ts'

/** A standby of a PostgreSQL server. It replicates that server through a proxy until it is promoted. */
export interface Standby {
  readonly server: PostgresServer
  /** The proxy between the two servers. */
  readonly proxy: PostgresProxy
  /** Makes the standby a primary. */
  promote(): Promise<void>
}

/** Starts a standby of a server. `isSynchronous` makes each commit of the primary wait for the standby. */
export async function startStandby(primary: PostgresServer, isSynchronous: boolean): Promise<Standby> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-standby-'))
  chmodSync(directory, 0o755)
  const proxy = await openPostgresProxy(`${primary.address}/postgres`)
  await using admin = new SQL({ url: `${primary.address}/postgres`, max: 1 })
  await admin.unsafe(`SELECT pg_backup_start('standby', true)`)
  // The files must keep their owner: the server runs as this user.
  await runToEnd(['cp', '-a', `${primary.directory}/.`, directory], { PATH: process.env.PATH ?? '' })
  const data = join(directory, 'data')
  const [{ labelfile }] = await admin.unsafe<[{ labelfile: string }]>(
    'SELECT labelfile FROM pg_backup_stop(false)',
  )
  rmSync(join(data, 'postmaster.pid'))
  const { port } = new URL(proxy.urlOf(primary.address))
  const connection = `host=127.0.0.1 port=${port} user=postgres password=postgres application_name=standby`
  const { uid, gid } = statSync(data)
  for (const [name, text] of [
    ['backup_label', labelfile],
    ['standby.signal', ''],
  ] as const) {
    writeFileSync(join(data, name), text)
    chownSync(join(data, name), uid, gid)
  }
  const server = await startPostgresIn(directory, { settings: [`primary_conninfo=${connection}`] })
  const isFollowing = async () => (await admin.unsafe('SELECT 1 FROM pg_stat_replication')).length === 1
  await until('the standby follows', isFollowing)
  if (isSynchronous) {
    await admin.unsafe(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`)
    await admin.unsafe('SELECT pg_reload_conf()')
  }
  return {
    server,
    proxy,
    promote: async () => {
      await using standby = new SQL({ url: `${server.address}/postgres`, max: 1 })
      await standby.unsafe('SELECT pg_promote()')
    },
  }
}
