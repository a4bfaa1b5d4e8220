import { SLICE_ROWS_MAX } from '../shop/imports/limits.ts'

/** The number of rows in the first slice: few enough for a slow machine. */
export const SLICE_ROWS_FIRST = 50
const SLICE_ROWS_MIN = 10
/**
 * The target time of a slice, including its wait in the queue. It is below 20 ms, the documented maximum, because some
 * slices take longer than the target.
 */
const SLICE_MS = 12

/** Returns the number of rows for the next slice. The last slice had `rows` rows and took `tookMs` milliseconds. */
export function nextSliceRows(rows: number, tookMs: number): number {
  // The number at most doubles, because the slice after a fast one may be slow.
  const wanted = Math.min(Math.floor((rows * SLICE_MS) / tookMs), 2 * rows)
  return Math.max(SLICE_ROWS_MIN, Math.min(wanted, SLICE_ROWS_MAX))
}
