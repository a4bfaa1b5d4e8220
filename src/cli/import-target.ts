import { randomBytes } from 'node:crypto'
import { makeClient } from '../client/client.ts'
import { ImportOutcome } from '../model/import.ts'
import { storedInstant } from '../model/instant.ts'
import { readJsonText } from '../model/json.ts'
import type { Reply } from '../shop/idempotency.ts'
import { replyOf } from '../store/commands.ts'
import type { StoreEngine } from '../store/open.ts'
import type { ImportTarget } from './importer.ts'

/** A store that this process has open. */
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
      return ImportOutcome.parse(readJsonText(body ?? ''))
    },
    discard: async () => {
      await execute('discardImport')
    },
    close: () => engine.close(),
  }
}

const proxyVariables = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY']

/** A store that another process on this machine has open, accessed over HTTP. */
export function runningTarget(base: string, key: string): ImportTarget {
  // The runtime would send requests for loopback, including the key, to a proxy from the environment.
  for (const name of proxyVariables) delete process.env[name]
  const client = makeClient({ base, key })
  const importId = newImportId()
  return {
    stage: async body => {
      await client.stageImport({ importId, body })
    },
    apply: async body => (await client.applyImport({ importId, body })).data,
    discard: async () => {
      await client.discardImport({ importId })
    },
    close: async () => {},
  }
}

function newImportId(): bigint {
  return BigInt(`0x${randomBytes(6).toString('hex')}`)
}
