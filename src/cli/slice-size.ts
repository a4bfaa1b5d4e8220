import { SLICE_ROWS_MAX } from '../model/import.ts'

/** Small enough for a slow machine. */
export const SLICE_ROWS_FIRST = 50
const SLICE_ROWS_MIN = 10
/** What a slice should take, with the wait for its turn: below the limit of 20 ms, because some take longer. */
const SLICE_MS = 12

/** Returns the number of rows of the next slice, from those of the last one and the milliseconds that it took. */
export function nextSliceRows(rows: number, tookMs: number): number {
  // It at most doubles, because one fast slice does not make the next one fast.
  const wanted = Math.min(Math.floor((rows * SLICE_MS) / tookMs), 2 * rows)
  return Math.max(SLICE_ROWS_MIN, Math.min(wanted, SLICE_ROWS_MAX))
}
