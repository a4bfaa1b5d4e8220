import { ApiError, type Client } from '../../client/petstore-client.ts'
import { type Change, newKey, oneByOne, REPEATABLE_MS, type Refused, request } from './change.ts'
import { basePath } from './session.ts'
import { sharedValue } from './shared-value.ts'

/**
 * A pet of a delivery or of a stock take. It is a change with a key of its own: however often it is sent, also after
 * the page was loaded again, the store makes it once.
 */
export interface StockLine {
  readonly key: string
  readonly petId: bigint
  /** The units that the user entered. */
  readonly units: bigint
  /** The units from which `units` differ: those in the store when a pet was counted, 0 in a delivery. */
  readonly from: bigint
  /** The price of one when it was counted. */
  readonly price?: bigint
}

/** The lines that are not booked yet. They stay in the tab when the page is left or loaded again. */
interface StockDraft {
  readonly lines: readonly StockLine[]
  /** The note of all their movements; undefined until the user types. */
  readonly note?: string
  /** The first attempt to book the lines. Until its outcome is known, they stay as they are. */
  readonly sent?: {
    /** In milliseconds since 1970. */
    readonly atMs: number
    /** Whose keys the store knows: another user would book everything once more. */
    readonly keyId: string
    readonly note: string
  }
}

const emptyDraft: StockDraft = { lines: [] }
/** The members that are stored as texts, because JSON has no bigint. */
const NUMBERS = ['petId', 'units', 'from', 'price']

/** Returns a line with a new key. */
export function stockLine(line: Omit<StockLine, 'key'>): StockLine {
  return { ...line, key: newKey('stock') }
}

/** Returns the units that a line adds to the stock of its pet. */
export function changeOf({ units, from }: StockLine): bigint {
  return units - from
}

/** Whether lines that were sent can be sent again by this user without a second effect. */
export function canSendAgain({ sent }: StockDraft, keyId: string): boolean {
  return sent === undefined || (sent.keyId === keyId && Date.now() - sent.atMs < REPEATABLE_MS)
}

/** A draft that all parts of the page share, also one that is left while its lines are sent. */
function storedDraft(name: string) {
  const place = `petstore-${name} ${basePath}`
  const draft = sharedValue(readDraft(place))
  return {
    use: draft.use,
    get: draft.get,
    /** Replaces the draft by what `change` makes of it. */
    update: (change: (draft: StockDraft) => StockDraft): void => {
      draft.set(change(draft.get()))
      try {
        sessionStorage.setItem(
          place,
          JSON.stringify(draft.get(), (_, value) => withoutBigint(value)),
        )
      } catch {
        // The browser blocks the storage, or it is full. Then the lines are lost when the page is loaded again.
      }
    },
  }
}

export type StoredDraft = ReturnType<typeof storedDraft>

export const delivery = storedDraft('delivery')
export const stockTake = storedDraft('stock-take')

function withoutBigint(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function readDraft(place: string): StockDraft {
  try {
    const text = sessionStorage.getItem(place)
    if (text === null) return emptyDraft
    return JSON.parse(text, (name, value) => (NUMBERS.includes(name) ? BigInt(value) : value))
  } catch {
    return emptyDraft
  }
}

/** What became of the lines of a draft. */
export interface Booked {
  readonly lines: readonly StockLine[]
  readonly refused: readonly Refused<StockLine>[]
}

/** Returns the change that books the lines of a draft, one after another. A refused line does not stop the others. */
export function bookingOf(client: Client, { lines, sent }: StockDraft): Change<Booked> {
  const { isRepeatable, send } = oneByOne(
    lines
      .filter(line => changeOf(line) !== 0n)
      .map(line => {
        const body = { quantityChange: changeOf(line), ...(sent?.note && { note: sent.note }) }
        const change = request(client, 'adjustInventory', { petId: line.petId, body })
        return { subject: line, change, key: line.key }
      }),
  )
  return { isRepeatable, send: async sending => ({ lines, refused: await send(sending) }) }
}

/** Returns whether a line is booked already, or never can be. */
function isSettled(error: Booked['refused'][number]['error']): boolean {
  return error instanceof ApiError && (error.status === 404 || error.code === 'idempotency_key_reused')
}

/** Returns a draft without the lines that were sent. A refused one stays as another change if it can be booked. */
export function withoutBooked(draft: StockDraft, { lines, refused }: Booked): StockDraft {
  const keys = new Set(lines.map(({ key }) => key))
  const kept = draft.lines.filter(({ key }) => !keys.has(key))
  // They were sent twice, by a page that was left and by Send again, and the other outcome is in the draft.
  if (kept.length === draft.lines.length) return draft
  // A pet that was deleted cannot be booked any more, and a key that was used has booked its line in another tab.
  const again = refused.filter(({ error }) => !isSettled(error)).map(({ subject }) => stockLine(subject))
  const { note } = draft
  return { lines: [...again, ...kept], ...(note !== undefined && again.length > 0 && { note }) }
}

export function emptied(): StockDraft {
  return emptyDraft
}
