/** The number of positions that may pass before the progress is stored. */
const UNSAVED_POSITIONS_MAX = 1000n

/**
 * How far the sender of one webhook has come. A position is open from being read until its outcome is stored or its
 * event is skipped. The progress of the webhook is the last position before the first open one.
 */
export interface PendingPositions {
  /** Every event up to this position has been read. */
  readonly readPosition: bigint
  /** The stored progress: `webhook.position`. */
  readonly savedPosition: bigint
  readonly open: ReadonlySet<bigint>
  /**
   * Later positions that already have deliveries, because earlier ones took longer. Undefined until they were read from
   * the store.
   */
  readonly recorded: ReadonlySet<bigint> | undefined
}

/** Returns the positions of a sender that continues from the stored progress. */
export function positionsAfter(savedPosition: bigint): PendingPositions {
  return { readPosition: savedPosition, savedPosition, open: new Set(), recorded: undefined }
}

/** Adds the positions after the stored progress for which the store has deliveries. */
export function withRecorded(positions: PendingPositions, recorded: readonly bigint[]): PendingPositions {
  return { ...positions, recorded: new Set(recorded) }
}

/** Returns whether an earlier sender stored a delivery for this position, so that it must not be sent again. */
export function isRecorded({ recorded }: PendingPositions, position: bigint): boolean {
  return recorded?.has(position) ?? false
}

/**
 * Adds a page that was read up to `readPosition`, with events at the positions `opened`. Every event of the previous
 * page must have been sent or skipped.
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

/** Continues reading at `floor`, because retention has deleted the events up to there. It is after the last page. */
export function withFloor(positions: PendingPositions, floor: bigint): PendingPositions {
  return { ...positions, readPosition: floor }
}

/** Closes positions whose events were skipped or whose outcomes are stored. */
export function withClosed(positions: PendingPositions, closed: readonly bigint[]): PendingPositions {
  const isOpen = (position: bigint): boolean => !closed.includes(position)
  return { ...positions, open: new Set([...positions.open].filter(isOpen)) }
}

/** Closes the positions `written`, whose outcomes were stored together with the progress `savedPosition`. */
export function withSaved(
  positions: PendingPositions,
  written: readonly bigint[],
  savedPosition: bigint,
): PendingPositions {
  return { ...withClosed(positions, written), savedPosition }
}

/** Returns the position up to which every outcome is stored, assuming that the outcomes of `written` are. */
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
