import { randomBytes } from 'node:crypto'
import { makeCall } from '../client/client.ts'
import { contract } from '../contract/contract.ts'
import { ImportOutcome } from '../model/import.ts'
import { storedInstant } from '../model/instant.ts'
import { parseJson } from '../model/json.ts'
import type { Reply } from '../shop/idempotency.ts'
import { replyOf } from '../store/commands.ts'
import type { StoreEngine } from '../store/open.ts'
import type { ImportTarget } from './importer.ts'

/** Imports into a store that this process has open. `close` closes its engine. */
export function engineTarget(engine: StoreEngine, clock: () => number, requestId: string): ImportTarget {
  const importId = newImportId()
  const execute = async (
    id: 'stageImport' | 'applyImport' | 'discardImport',
    body?: object,
  ): Promise<Reply> => {
    const context = { now: storedInstant(clock()), caller: { keyId: null, scopes: ['admin'] }, requestId }
    return replyOf(await engine.execute({ id, input: { importId, body }, context }))
  }
  return {
    stage: async rows => {
      await execute('stageImport', rows)
    },
    apply: async scope => {
      const { body } = await execute('applyImport', scope)
      return ImportOutcome.parse(parseJson(body ?? ''))
    },
    discard: async () => {
      await execute('discardImport')
    },
    close: () => engine.close(),
  }
}

/** The time limit of one request of an import. */
const IMPORT_MS_MAX = 3_600_000

const { stageImport, applyImport, discardImport } = contract
/** The hidden operations, which the published client does not have. */
const operations = {
  stageImport: { ...stageImport, empty: true },
  applyImport,
  discardImport: { ...discardImport, empty: true },
} as const

const proxyVariables = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY']

/** Imports over HTTP into a store that another process on this machine has open. */
export function runningTarget(base: string, key: string): ImportTarget {
  // The runtime would send requests for loopback, including the key, to a proxy from the environment.
  for (const name of proxyVariables) delete process.env[name]
  // No request is repeated, because rows are staged in order, and this process must see the outcome of the import.
  const call = makeCall({ baseUrl: base, key, timeoutMs: IMPORT_MS_MAX, retriesMax: 0 })
  const importId = newImportId()
  const send = async (id: keyof typeof operations, body?: object): Promise<unknown> =>
    (await call(id, operations[id], { importId, body })).data
  return {
    stage: async rows => {
      await send('stageImport', rows)
    },
    apply: async scope => ImportOutcome.parse(await send('applyImport', scope)),
    discard: async () => {
      await send('discardImport')
    },
    close: async () => {},
  }
}

/** Returns a random id, so that concurrent imports are separate. */
function newImportId(): bigint {
  return BigInt(`0x${randomBytes(6).toString('hex')}`)
}
