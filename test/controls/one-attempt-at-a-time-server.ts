import { startServer } from '../../src/server.ts'
import { ensureAdminKey } from '../../src/store/maintenance.ts'
import { openEngine, type StoreEngine } from '../../src/store/open.ts'

// Broken on purpose: all webhook senders share one permit, so a good receiver waits for the bad ones. An attempt takes
// the permit when it resolves its host, and releases it when its outcome is stored.

let isTaken = false
const waiting: (() => void)[] = []

async function takePermit(): Promise<void> {
  if (isTaken) await new Promise<void>(resolve => waiting.push(resolve))
  isTaken = true
}

function releasePermit(): void {
  isTaken = false
  waiting.shift()?.()
}

const [directory = '', key = '', port = '0'] = process.argv.slice(2)
const log = { access: () => {}, info: () => {}, error: (fields: object) => console.error(fields) }
const { DATABASE_URL: databaseUrl } = process.env
const engine = await openEngine({ databaseUrl, directory, log, onFatal: () => process.exit(1) })
const watched: StoreEngine = {
  ...engine,
  execute: async command => {
    const result = await engine.execute(command)
    // A new webhook also resolves its host.
    if (command.id === 'recordAttempts' || command.id === 'createWebhook') releasePermit()
    return result
  },
}
await ensureAdminKey(engine, key, Date.now)
const { base } = startServer({
  engine: watched,
  host: '127.0.0.1',
  port: Number(port),
  stability: 'experimental',
  rateLimit: 'off',
  corsOrigins: [],
  cache: 'on',
  trustedProxies: [],
  secretKey: new Uint8Array(32),
  allowPrivateWebhooks: true,
  eventRetention: 'forever',
  log,
  clock: Date.now,
  lifecycleClock: Date.now,
  delivery: {
    resolve: async () => {
      await takePermit()
      return ['127.0.0.1']
    },
  },
})
console.error(`serves ${base}`)
