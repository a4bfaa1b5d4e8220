import { useState } from 'react'
import { ApiError, type Client } from '../../client/petstore-client.ts'
import { settlesEarlierAttempt } from '../../client/retry.ts'
import { type Change, newKey, REPEATABLE_MS, request } from './change.ts'
import { basePath } from './session.ts'

/**
 * An article of a delivery or of a stock take. It is a change with a key of its own: however often it is sent, also by
 * a page that was loaded again, the store makes it once.
 */
export interface StockLine {
  readonly key: string
  readonly petId: bigint
  /** The units that the user entered. */
  readonly units: bigint
  /** The units from which `units` differ: those in the store when an article was counted, 0 in a delivery. */
  readonly from: bigint
}

/** The lines that are not booked yet. They stay in the tab when the page is left or loaded again. */
export interface StockDraft {
  readonly lines: readonly StockLine[]
  /** The note of all their movements. */
  readonly note: string
  /** When the lines were sent first (ms since 1970). Until their outcome is known, they stay as they are. */
  readonly sentAt?: number
}

export const emptyDraft: StockDraft = { lines: [], note: '' }

/** Returns a line. `name` is part of its key. */
export function stockLine(name: string, petId: bigint, units: bigint, from = 0n): StockLine {
  return { key: newKey(name), petId, units, from }
}

/** Returns the units that a line adds to the stock of its pet. */
export function changeOf({ units, from }: StockLine): bigint {
  return units - from
}

/** Whether the store still knows the keys of lines that were sent. */
export function canSendAgain({ sentAt }: StockDraft): boolean {
  return sentAt === undefined || Date.now() - sentAt < REPEATABLE_MS
}

/** Returns the draft with a name, and the function that replaces it. */
export function useStockDraft(name: string): [StockDraft, (draft: StockDraft) => void] {
  const place = `petstore-${name} ${basePath}`
  const [draft, setDraft] = useState(() => storedDraft(place))
  return [
    draft,
    next => {
      setDraft(next)
      try {
        sessionStorage.setItem(
          place,
          JSON.stringify(next, (_, value) => textOfBigint(value)),
        )
      } catch {
        // The browser blocks the storage, or it is full. Then the lines are lost when the page is left.
      }
    },
  ]
}

const NUMBERS = ['petId', 'units', 'from']

function textOfBigint(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

function storedDraft(place: string): StockDraft {
  try {
    const text = sessionStorage.getItem(place)
    if (text === null) return emptyDraft
    return JSON.parse(text, (name, value) => (NUMBERS.includes(name) ? BigInt(value) : value))
  } catch {
    return emptyDraft
  }
}

/** A line that the store refused, and why. */
interface RefusedLine {
  readonly line: StockLine
  readonly error: ApiError
}

export type RefusedLines = readonly RefusedLine[]

/** Returns the change that books the lines of a draft, one after another. A refused line does not stop the others. */
export function bookingOf(client: Client, { lines, note }: StockDraft): Change<RefusedLines> {
  const changes = lines
    .filter(line => changeOf(line) !== 0n)
    .map(line => {
      const body = { quantityChange: changeOf(line), ...(note !== '' && { note }) }
      return { line, change: request(client, 'adjustInventory', { petId: line.petId, body }) }
    })
  return {
    isRepeatable: true,
    send: async ({ signal }) => {
      const refused: RefusedLine[] = []
      for (const { line, change } of changes) {
        try {
          await change.send({ signal, idempotencyKey: line.key })
        } catch (error) {
          if (!(error instanceof ApiError && settlesEarlierAttempt(error.status))) throw error
          refused.push({ line, error })
        }
      }
      return refused
    },
  }
}
