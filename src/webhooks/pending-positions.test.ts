import { describe, expect, test } from 'bun:test'
import {
  completedPosition,
  initialPositions,
  isRecorded,
  isSaveDue,
  type PendingPositions,
  withClosed,
  withFloor,
  withPage,
  withRecorded,
  withSaved,
} from './pending-positions.ts'

/** The progress is stored up to 10. Events up to 15 have been read, and the positions 12, 13 and 15 are open. */
const at15 = withPage(withRecorded(initialPositions(10n), []), 15n, [12n, 13n, 15n])

const completed: readonly (readonly [
  title: string,
  positions: PendingPositions,
  written: readonly bigint[],
  completed: bigint,
])[] = [
  ['the progress of a new sender is the stored progress', initialPositions(10n), [], 10n],
  ['a page without events is completed', withPage(initialPositions(10n), 15n, []), [], 15n],
  ['positions are completed up to the first open one', at15, [], 11n],
  ['a written position counts as completed before it is closed', at15, [12n], 12n],
  ['a position after an open one is not completed', at15, [13n, 15n], 11n],
  ['the positions without events after a completed position are completed too', at15, [12n, 13n], 14n],
  ['a page is completed once all its events are completed', at15, [15n, 12n, 13n], 15n],
  ['a skipped event is completed', withClosed(at15, [12n]), [], 12n],
  ['positions may be closed in any order', withClosed(withClosed(at15, [13n]), [12n]), [], 14n],
  [
    'an open position of an earlier page stops the progress of a later page',
    withPage(at15, 20n, [18n]),
    [12n, 15n],
    12n,
  ],
  [
    'after a completed page, the next page is completed up to its first open position',
    withPage(at15, 20n, [18n]),
    [12n, 13n, 15n],
    17n,
  ],
  ['deleted events are completed', withFloor(initialPositions(10n), 500n), [], 500n],
  ['an event in progress is not completed when events after it are deleted', withFloor(at15, 500n), [], 11n],
]

describe('the progress', () => {
  test.each([...completed])('%s', (_, positions, written, position) => {
    expect(completedPosition(positions, written)).toBe(position)
  })

  test('a stored position is closed, and the progress is saved', () => {
    const saved = withSaved(at15, [12n], 12n)
    expect([saved.savedPosition, saved.readPosition, [...saved.open]]).toEqual([12n, 15n, [13n, 15n]])
  })

  test('reading does not save the progress', () => {
    for (const positions of [at15, withClosed(at15, [12n, 13n, 15n]), withFloor(at15, 500n)]) {
      expect(positions.savedPosition).toBe(10n)
    }
  })
})

const saves: readonly (readonly [title: string, positions: PendingPositions, isDue: boolean])[] = [
  [
    'progress without a delivery is not stored after 999 positions',
    withPage(initialPositions(10n), 1009n, []),
    false,
  ],
  [
    'progress without a delivery is stored after 1,000 positions',
    withPage(initialPositions(10n), 1010n, []),
    true,
  ],
  [
    'progress without a delivery is not stored while an open position limits it to 999 positions',
    withPage(initialPositions(10n), 9999n, [1010n]),
    false,
  ],
  [
    'progress without a delivery is stored after 1,000 positions before an open one',
    withPage(initialPositions(10n), 9999n, [1011n]),
    true,
  ],
  [
    'progress without a delivery is not stored twice',
    withSaved(withPage(initialPositions(10n), 1010n, []), [], 1010n),
    false,
  ],
  [
    'progress without a delivery is stored after the deletion of 1,000 events',
    withFloor(initialPositions(10n), 1010n),
    true,
  ],
]

describe('storing the progress', () => {
  test.each([...saves])('%s', (_, positions, isDue) => {
    expect(isSaveDue(positions)).toBe(isDue)
  })
})

const recorded = withRecorded(initialPositions(10n), [13n, 20n])

const skipped: readonly (readonly [
  title: string,
  positions: PendingPositions,
  position: bigint,
  skips: boolean,
])[] = [
  ['a position with a delivery is skipped', recorded, 13n, true],
  ['a position without a delivery is not skipped', recorded, 14n, false],
  ['no position is skipped before the deliveries are read', initialPositions(10n), 13n, false],
  ['a position of the page that was just read is skipped', withPage(recorded, 15n, [13n]), 13n, true],
  ['a position of a later page is skipped', withPage(withPage(recorded, 15n, []), 25n, [20n]), 20n, true],
  ['a position of an earlier page is forgotten', withPage(withPage(recorded, 15n, []), 25n, []), 13n, false],
]

describe('after deliveries of an earlier sender', () => {
  test.each([...skipped])('%s', (_, positions, position, skips) => {
    expect(isRecorded(positions, position)).toBe(skips)
  })
})
