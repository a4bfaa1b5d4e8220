/** The number of positions after which the progress is stored, even without an outcome to store. */
const UNSAVED_POSITIONS_MAX = 1000n

/**
 * The positions that the sender of one webhook has read and stored. A position is open from being read until its
 * outcome is stored or its event is skipped. The progress of the webhook is the last position before the first open
 * one, or `readPosition` if no position is open.
 */
export interface PendingPositions {
  /** Every event up to this position has been read. */
  readonly readPosition: bigint
  /** The stored progress: `webhook.position`. */
  readonly savedPosition: bigint
  readonly open: ReadonlySet<bigint>
  /**
   * The positions after the stored progress that already have deliveries, stored by an earlier sender. Undefined until
   * they have been read from the store.
   */
  readonly recorded: ReadonlySet<bigint> | undefined
}

/** Returns the positions of a new sender, which continues from the stored progress. */
export function initialPositions(savedPosition: bigint): PendingPositions {
  return { readPosition: savedPosition, savedPosition, open: new Set(), recorded: undefined }
}

/** Returns the positions with `recorded`: those after the stored progress for which the store has deliveries. */
export function withRecorded(positions: PendingPositions, recorded: readonly bigint[]): PendingPositions {
  return { ...positions, recorded: new Set(recorded) }
}

/** Returns whether an earlier sender stored a delivery for this position, so that it must not be sent again. */
export function isRecorded({ recorded }: PendingPositions, position: bigint): boolean {
  return recorded?.has(position) ?? false
}

/**
 * Returns the positions with the next page: it was read up to `readPosition`, and has events at the positions `opened`.
 * No event of the previous page may still wait to be sent or skipped.
 */
export function withPage(
  positions: PendingPositions,
  readPosition: bigint,
  opened: readonly bigint[],
): PendingPositions {
  const { open, recorded } = positions
  // Positions that have been passed are never looked up again.
  const ahead = recorded && new Set([...recorded].filter(position => position > positions.readPosition))
  return { ...positions, readPosition, open: new Set([...open, ...opened]), recorded: ahead }
}

/**
 * Returns the positions of a sender that continues after `floor`, because retention has deleted the events up to it.
 * `floor` is not before `readPosition`.
 */
export function withFloor(positions: PendingPositions, floor: bigint): PendingPositions {
  return { ...positions, readPosition: floor }
}

/**
 * Removes the positions `closed` from the open ones, because their events were skipped or their outcomes are stored,
 * and returns the result.
 */
export function withClosed(positions: PendingPositions, closed: readonly bigint[]): PendingPositions {
  const staysOpen = (position: bigint): boolean => !closed.includes(position)
  return { ...positions, open: new Set([...positions.open].filter(staysOpen)) }
}

/** Returns the positions once the outcomes of `written` and the progress `savedPosition` are stored, together. */
export function withSaved(
  positions: PendingPositions,
  written: readonly bigint[],
  savedPosition: bigint,
): PendingPositions {
  return { ...withClosed(positions, written), savedPosition }
}

/** Returns the progress that the webhook will have once the outcomes of the positions `written` are also stored. */
export function completedPosition(
  { readPosition, open }: PendingPositions,
  written: readonly bigint[],
): bigint {
  let completed = readPosition
  for (const position of open) {
    if (position <= completed && !written.includes(position)) completed = position - 1n
  }
  return completed
}

/** Returns whether enough positions have passed since the last save to save the progress again. */
export function isSaveDue(positions: PendingPositions): boolean {
  return completedPosition(positions, []) - positions.savedPosition >= UNSAVED_POSITIONS_MAX
}
