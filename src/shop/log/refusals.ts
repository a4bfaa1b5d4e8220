import { type FieldError, StoreError } from '../../contract/error.ts'
import { invalidParameter } from '../../contract/refusals.ts'

/** The refusal of a position before the retention floor. `floor` is the last deleted position. */
export function eventHistoryExpired(floor: bigint): StoreError {
  return new StoreError(
    'event_history_expired',
    `Events up to position ${floor} have been deleted. ` +
      `Continue with after=${floor} and re-read anything you cached.`,
  )
}

/** The refusal of a position that a restored store has skipped. */
export function positionInGap({ after, to }: { after: bigint; to: bigint }): StoreError {
  return new StoreError(
    'event_history_expired',
    `The store was restored from a backup: the events from position ${after + 1n} to ${to} are lost. ` +
      `Continue with after=${after} and re-read anything you cached.`,
  )
}

/** The refusal of a position with the tag of other content: from before a reset, or of another store. */
export function positionOfOtherContent(): StoreError {
  return new StoreError(
    'event_history_expired',
    'The position belongs to an earlier state of this store, before it was reset, or to another store. ' +
      'Read the current state, and continue without a position.',
  )
}

/** The refusal of a position beyond the last event. */
export function positionBeyondHead(
  parameter: Pick<FieldError, 'in' | 'name'>,
  after: bigint,
  head: bigint,
): StoreError {
  const message = `${parameter.name} is ${after}, but the last event has position ${head}.`
  return invalidParameter({ ...parameter, code: 'out_of_range', message })
}
