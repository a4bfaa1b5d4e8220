/** How many positions may pass before the progress is stored. */
const UNSAVED_POSITIONS_MAX = 1000n

/**
 * How far the sender of one webhook has come. A position is open from being read until its outcome is stored or its
 * event is skipped. The progress of the webhook is the last position before the first open one.
 */
export interface PendingPositions {
  /** Every event up to here has been read. */
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

/** The store has deliveries for these positions after the stored progress. */
export function withRecorded(positions: PendingPositions, recorded: readonly bigint[]): PendingPositions {
  return { ...positions, recorded: new Set(recorded) }
}

/** Whether an earlier sender stored a delivery for this position, so that it must not be sent again. */
export function isRecorded({ recorded }: PendingPositions, position: bigint): boolean {
  return recorded?.has(position) ?? false
}

/**
 * A page up to `readPosition` was read, with events at the positions `opened`. Every event of the page before it has
 * been sent or skipped.
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

/** Retention has deleted the events up to `floor`, which is after the last page: reading continues there. */
export function withFloor(positions: PendingPositions, floor: bigint): PendingPositions {
  return { ...positions, readPosition: floor }
}

/** These positions need nothing more: their events were skipped, or their outcomes are stored. */
export function withClosed(positions: PendingPositions, closed: readonly bigint[]): PendingPositions {
  const isOpen = (position: bigint): boolean => !closed.includes(position)
  return { ...positions, open: new Set([...positions.open].filter(isOpen)) }
}

/** The outcomes of the positions `written` are stored, and with them the progress `savedPosition`. */
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

/** Whether enough positions have passed since the last save to save the progress again. */
export function isSaveDue(positions: PendingPositions): boolean {
  return completedPosition(positions, []) - positions.savedPosition >= UNSAVED_POSITIONS_MAX
}
