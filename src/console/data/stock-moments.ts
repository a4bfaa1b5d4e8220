import { ApiError, type AuditEntry, type Client, type StockMovement } from '../../client/petstore-client.ts'

/** The maximum number of movements that are read for the notes of one page of a history. */
const MOVEMENTS_MAX = 1000
const PAGE_MAX = 100

type StockEntry = Extract<AuditEntry, { readonly type: 'petstore.inventory.changed' }>

/** The stock of a pet at an instant. A movement and the entry of the audit log about it have the same one. */
function momentOf(at: string, quantity: bigint, reserved = 0n): string {
  return `${at} ${quantity} ${reserved}`
}

export function stockMoment({ at, data: { quantity, reserved } }: StockEntry): string {
  return momentOf(at, quantity, reserved)
}

/** Reads the notes of the movements of a pet since an instant, by the moment of the movement. */
export async function readNotes(
  client: Client,
  petId: bigint,
  since: string,
): Promise<ReadonlyMap<string, string>> {
  const notes = new Map<string, string>()
  let count = 0
  try {
    for await (const movement of client.listMovements({ petId, sort: '-id', limit: PAGE_MAX })) {
      if (Date.parse(movement.at) < Date.parse(since) || ++count > MOVEMENTS_MAX) break
      if (movement.note !== undefined) notes.set(movementMoment(movement), movement.note)
    }
  } catch (error) {
    // A pet that was deleted has a history, but no movements.
    if (!(error instanceof ApiError && error.status === 404)) throw error
  }
  return notes
}

/** Reads the keys that made the movements of one page, by the moment of the movement. */
export async function readMovers(
  client: Client,
  petId: bigint,
  newestFirst: readonly StockMovement[],
): Promise<ReadonlyMap<string, bigint | undefined>> {
  const keys = new Map<string, bigint | undefined>()
  const [newest] = newestFirst
  const oldest = newestFirst.at(-1)
  if (!newest || !oldest) return keys
  // The end of a period does not belong to it.
  const until = new Date(Date.parse(newest.at) + 1).toISOString()
  for await (const entry of client.listAudit({ petId, since: oldest.at, until, limit: PAGE_MAX }))
    if (entry.type === 'petstore.inventory.changed') keys.set(stockMoment(entry), entry.keyId)
  return keys
}

export function movementMoment({ at, quantity, reserved }: StockMovement): string {
  return momentOf(at, quantity, reserved)
}
