import { randomBytes } from 'node:crypto'
import type { ImportTarget } from '../../catalogue/importer.ts'
import { makeCall } from '../../client/client.ts'
import type { StoreEngine } from '../../serving/open.ts'
import { replyOf } from '../../shop/commands.ts'
import type { Reply } from '../../shop/idempotency.ts'
import {
  AppliedImport,
  AppliedSlice,
  ImportNameMatches,
  ImportPetMatches,
} from '../../shop/imports/schema.ts'
import { contract } from '../../shop/operations.ts'
import { storedInstant } from '../../values/instant.ts'
import { parseJson } from '../../values/json.ts'
import { ignoreProxies } from '../terminal/proxy-variables.ts'

type ImportOperation = keyof typeof operations

/** Imports into a store that this process has open. `close` closes its engine. */
export function engineTarget(
  engine: StoreEngine,
  clock: () => number,
  requestId: string,
  importId = newImportId(),
): ImportTarget {
  const execute = async (id: ImportOperation, body?: object): Promise<Reply> => {
    const context = { now: storedInstant(clock()), caller: { keyId: null, scopes: ['admin'] }, requestId }
    return replyOf(await engine.execute({ id, input: { importId, body }, context }))
  }
  const resultOf = async (id: ImportOperation, body: object): Promise<unknown> =>
    parseJson((await execute(id, body)).body ?? '')
  return {
    importId,
    stage: async rows => {
      await execute('stageImport', rows)
    },
    apply: async scope => AppliedImport.parse(await resultOf('applyImport', scope)),
    findCategories: async names =>
      ImportNameMatches.parse(await resultOf('findImportCategories', { names })).matches,
    findPets: async pets => ImportPetMatches.parse(await resultOf('findImportPets', { pets })).exist,
    loadSlice: async slice => AppliedSlice.parse(await resultOf('loadImportSlice', slice)),
    discard: async () => {
      await execute('discardImport')
    },
    close: () => engine.close(),
  }
}

/** The time limit of one request of an import. */
const IMPORT_MS_MAX = 3_600_000

const { stageImport, applyImport, findImportCategories, findImportPets, loadImportSlice, discardImport } =
  contract
/** The hidden operations, which the published client does not have. */
const operations = {
  stageImport: { ...stageImport, empty: true },
  applyImport,
  findImportCategories,
  findImportPets,
  loadImportSlice,
  discardImport: { ...discardImport, empty: true },
} as const

/** The maximum number of retries of one request: enough for an import to wait out a rate limit of one minute. */
const RETRIES_MAX = 5

/** Imports over HTTP into a store that another process on this machine has open. */
export function runningTarget(base: string, key: string, importId = newImportId()): ImportTarget {
  ignoreProxies()
  // A request without an idempotency key is repeated only after a temporary refusal, such as at a rate limit.
  const call = makeCall({ baseUrl: base, key, timeoutMs: IMPORT_MS_MAX, retriesMax: RETRIES_MAX })
  const send = async (id: keyof typeof operations, body?: object): Promise<unknown> =>
    (await call(id, operations[id], { importId, body })).data
  return {
    importId,
    stage: async rows => {
      await send('stageImport', rows)
    },
    apply: async scope => AppliedImport.parse(await send('applyImport', scope)),
    findCategories: async names =>
      ImportNameMatches.parse(await send('findImportCategories', { names })).matches,
    findPets: async pets => ImportPetMatches.parse(await send('findImportPets', { pets })).exist,
    loadSlice: async slice => AppliedSlice.parse(await send('loadImportSlice', slice)),
    discard: async () => {
      await send('discardImport')
    },
    close: async () => {},
  }
}

/** Checks names against a store that does not exist yet, for a dry run, which creates nothing. */
export function absentTarget(): ImportTarget {
  const refuse = async (): Promise<never> => {
    throw new Error('a dry run loads nothing')
  }
  return {
    importId: 0n,
    findCategories: async names => names.map(() => ({ categories: [] })),
    findPets: async pets => pets.map(() => false),
    stage: refuse,
    apply: refuse,
    loadSlice: refuse,
    discard: refuse,
    close: async () => {},
  }
}

/** Returns a random id, so that concurrent imports are separate. */
function newImportId(): bigint {
  return BigInt(`0x${randomBytes(6).toString('hex')}`)
}
