import { openSqlite } from '../../src/database/sqlite/engine.ts'
import { ensureAdminKey } from '../../src/serving/first-start.ts'
import { type ServerOptions, startServer } from '../../src/serving/server.ts'
import type { Reply } from '../../src/shop/kernel/idempotency.ts'
import type { Command, CommandResult } from '../../src/shop/registry/commands.ts'
import type { Query } from '../../src/shop/registry/queries.ts'
import { replyForms } from '../../src/shop/registry/run.ts'

/** Serves a store with a writer that is broken on purpose. The arguments of the process are those of `serveControl`. */
export async function serveWithWriter(writer: URL): Promise<void> {
  await serveControl(async options => ({
    engine: await openSqlite<Query, Command, Reply, CommandResult>({
      shared: replyForms,
      ...options,
      writer,
      reader: new URL('../../src/serving/sqlite-reader.ts', import.meta.url),
    }),
    cache: 'verify',
  }))
}

/** The options with which a control opens its engine. */
interface ControlOptions {
  readonly directory: string
  readonly log: ServerOptions['log']
  readonly onFatal: () => never
}

/**
 * Serves a store that is broken on purpose, with the engine and the options that `open` returns. The arguments of the
 * process are the data directory, the admin key and the port.
 */
export async function serveControl(
  open: (options: ControlOptions) => Promise<Pick<ServerOptions, 'engine' | 'cache' | 'delivery'>>,
): Promise<void> {
  const [directory = '', key = '', port = '0'] = process.argv.slice(2)
  const log = { access: () => {}, info: () => {}, error: (fields: object) => console.error(fields) }
  const opened = await open({ directory, log, onFatal: () => process.exit(1) })
  await ensureAdminKey(opened.engine, key, Date.now)
  const { base } = startServer({
    ...opened,
    host: '127.0.0.1',
    port: Number(port),
    stability: 'experimental',
    rateLimit: 'off',
    mcp: false,
    corsOrigins: [],
    trustedProxies: [],
    secretKey: new Uint8Array(32),
    allowPrivateWebhooks: true,
    eventRetention: 'forever',
    log,
    clock: Date.now,
    lifecycleClock: Date.now,
  })
  console.error(`serves ${base}`)
}
