import { randomBytes } from 'node:crypto'
import type { ImportTarget, TakeBackTarget } from '../../catalogue/importer.ts'
import { makeCall } from '../../client/client.ts'
import type { StoreEngine } from '../../serving/open.ts'
import { AppliedSlice, ImportNameMatches, ImportPetMatches, TakenBack } from '../../shop/imports/schema.ts'
import { replyOf } from '../../shop/registry/commands.ts'
import { contract } from '../../shop/registry/operations.ts'
import { storedInstant } from '../../values/instant.ts'
import { parseJson } from '../../values/json.ts'
import { ignoreProxies } from '../terminal/proxy-variables.ts'

/** The hidden operations, which the published client does not have. */
const { stageImport, findImportCategories, findImportPets, loadImportSlice } = contract
const { discardImport, takeBackImport } = contract
const operations = {
  stageImport: { ...stageImport, empty: true },
  findImportCategories,
  findImportPets,
  loadImportSlice,
  discardImport: { ...discardImport, empty: true },
  takeBackImport,
} as const

type CallImport = (id: keyof typeof operations, body?: object, idempotencyKey?: string) => Promise<unknown>

/** A store in which an import is loaded or taken back. */
export type StoreTarget = ImportTarget & TakeBackTarget

function importTarget(importId: bigint, call: CallImport, close: () => Promise<void>): StoreTarget {
  return {
    importId,
    stage: async rows => {
      // With a key, rows whose response was lost can be sent again.
      await call('stageImport', rows, crypto.randomUUID())
    },
    findCategories: async names =>
      ImportNameMatches.parse(await call('findImportCategories', { names })).matches,
    findCurrency: async () =>
      ImportNameMatches.parse(await call('findImportCategories', { names: [] })).currency,
    findBarcodes: async barcodes =>
      ImportPetMatches.parse(await call('findImportPets', { pets: [], barcodes })).holders,
    findPets: async pets => ImportPetMatches.parse(await call('findImportPets', { pets })).found,
    loadSlice: async (slice, idempotencyKey) =>
      AppliedSlice.parse(await call('loadImportSlice', slice, idempotencyKey)),
    discard: async () => {
      await call('discardImport')
    },
    takeBack: async slice => TakenBack.parse(await call('takeBackImport', slice)),
    close,
  }
}

/**
 * Imports into a store that this process has open. `close` closes its engine. `settle` returns the currency of the
 * store, in which the target reads prices; by default, it is the recorded one.
 */
export function engineTarget(
  engine: StoreEngine,
  clock: () => number,
  requestId: string,
  importId = newImportId(),
  settle?: () => Promise<string>,
): StoreTarget {
  let currency: string | undefined
  const call: CallImport = async (id, body) => {
    const caller = { keyId: null, scopes: ['admin'] }
    const context = { now: storedInstant(clock()), caller, requestId, currency }
    const reply = replyOf(await engine.execute({ id, input: { importId, body }, context }))
    return reply.body === null ? undefined : parseJson(reply.body)
  }
  const target = importTarget(importId, call, () => engine.close())
  const findCurrency = async (): Promise<string> => {
    currency = await (settle ?? target.findCurrency)()
    return currency
  }
  return { ...target, findCurrency }
}

const IMPORT_MS_MAX = 3_600_000
/** The maximum number of retries of one request: enough for an import to wait out a rate limit of one minute. */
const RETRIES_MAX = 5

/** Imports over HTTP into a store that another process on this machine has open. */
export function runningTarget(base: string, key: string, importId = newImportId()): StoreTarget {
  ignoreProxies()
  const send = makeCall({ baseUrl: base, key, timeoutMs: IMPORT_MS_MAX, retriesMax: RETRIES_MAX })
  const call: CallImport = async (id, body, idempotencyKey) =>
    (await send(id, operations[id], { importId, body }, { idempotencyKey })).data
  return importTarget(importId, call, async () => {})
}

/** Checks names against a store that does not exist yet, for a dry run, which creates nothing. */
export function absentTarget(currency: string): StoreTarget {
  const refuse = async (): Promise<never> => {
    throw new Error('a dry run loads nothing')
  }
  return {
    importId: 0n,
    findCategories: async names => names.map(() => ({ categories: [] })),
    findPets: async pets => pets.map(() => 0n),
    findBarcodes: async barcodes => barcodes.map(() => null),
    findCurrency: async () => currency,
    stage: refuse,
    loadSlice: refuse,
    discard: refuse,
    takeBack: refuse,
    close: async () => {},
  }
}

/** Returns a random id, so that concurrent imports are separate. */
function newImportId(): bigint {
  return BigInt(`0x${randomBytes(6).toString('hex')}`)
}
