import { describe, expect, test } from 'bun:test'
import {
  type Instants,
  initialState,
  type NextStep,
  nextStep,
  type SenderState,
  withAttemptEnded,
  withAttemptStarted,
  withDue,
  withDueRead,
  withPause,
  withReceiver,
  withResult,
  withStop,
} from './sender-schedule.ts'

/** The two clocks are far apart, so that no test passes if they are confused. */
const nowMs = Date.parse('2026-11-21T09:30:00Z')
const monotonicMs = 5000
const now: Instants = { nowMs, monotonicMs }
const SECOND = 1000
const MINUTE = 60 * SECOND
const never = Number.POSITIVE_INFINITY

/** Nothing is due, and the next poll is in 10 seconds. */
const quiet: SenderState & { readonly mayHaveEvents: boolean } = {
  ...initialState,
  nextDueMs: never,
  nextPollMonotonicMs: monotonicMs + 10 * SECOND,
  mayHaveEvents: false,
}

const stop: NextStep = { step: 'stop' }
const idle: NextStep = { step: 'idle' }
const sendDue: NextStep = { step: 'send', from: 'due' }
const sendEvent: NextStep = { step: 'send', from: 'event' }
const wait = (waitMs: number): NextStep => ({ step: 'wait', waitMs })

const steps: readonly (readonly [title: string, state: Partial<typeof quiet>, step: NextStep])[] = [
  ['a new sender checks for due deliveries first', initialState, sendDue],
  ['a sender without work waits for the next poll', {}, wait(10 * SECOND)],
  ['a sender waits for the next due delivery if it is before the poll', { nextDueMs: nowMs + 40 }, wait(40)],
  [
    'a delivery that is due after the next poll does not lengthen the wait',
    { nextDueMs: nowMs + MINUTE },
    wait(10 * SECOND),
  ],
  ['a delivery is sent at the millisecond in which it is due', { nextDueMs: nowMs }, sendDue],
  ['a delivery is not sent a millisecond early', { nextDueMs: nowMs + 1 }, wait(1)],
  ['due deliveries are polled, even if none is known', { nextPollMonotonicMs: monotonicMs }, sendDue],
  ['due deliveries are not polled early', { nextPollMonotonicMs: monotonicMs + 1 }, wait(1)],
  ['an event is sent at once if no delivery is due', { mayHaveEvents: true }, sendEvent],
  ['a due delivery is sent before an event', { nextDueMs: nowMs, mayHaveEvents: true }, sendDue],
  ['a delivery due later does not delay an event', { nextDueMs: nowMs + 1, mayHaveEvents: true }, sendEvent],
  ['three attempts leave a permit', { inFlight: 3, mayHaveEvents: true }, sendEvent],
  ['a fourth attempt takes the last permit', { inFlight: 4, mayHaveEvents: true }, idle],
  ['a due delivery gets no fifth permit', { inFlight: 4, nextDueMs: nowMs }, idle],
  [
    'a receiver with 9 failures still has four permits',
    { inFlight: 3, failures: 9n, mayHaveEvents: true },
    sendEvent,
  ],
  ['a receiver with 10 failures has one permit', { inFlight: 1, failures: 10n, mayHaveEvents: true }, idle],
  [
    'the permit of a receiver with 10 failures can be taken',
    { failures: 10n, mayHaveEvents: true },
    sendEvent,
  ],
  ['a pause delays events', { resumeAtMonotonicMs: monotonicMs + 7, mayHaveEvents: true }, wait(7)],
  ['a pause delays due deliveries', { resumeAtMonotonicMs: monotonicMs + 7, nextDueMs: nowMs }, wait(7)],
  [
    'a sender waits for the end of a pause even if all permits are taken',
    { resumeAtMonotonicMs: monotonicMs + 7, inFlight: 4 },
    wait(7),
  ],
  [
    'a pause that has ended delays nothing',
    { resumeAtMonotonicMs: monotonicMs, mayHaveEvents: true },
    sendEvent,
  ],
  ['a stopped sender sends no due delivery', { isStopped: true, nextDueMs: nowMs }, stop],
  ['a stopped sender sends no event', { isStopped: true, mayHaveEvents: true }, stop],
  ['a stopped sender does not wait for a pause', { isStopped: true, resumeAtMonotonicMs: never }, stop],
  ['a stopped sender does not wait for a permit', { isStopped: true, inFlight: 4 }, stop],
]

describe('the next step', () => {
  test.each([...steps])('%s', (_, state, step) => {
    expect(nextStep({ ...quiet, ...state }, now)).toEqual(step)
  })

  test('a wall clock that is set back does not delay the poll', () => {
    const state = { ...quiet, nextDueMs: nowMs + 40 }
    expect(nextStep(state, { nowMs: nowMs - 60 * MINUTE, monotonicMs })).toEqual(wait(10 * SECOND))
  })

  test('a wall clock that jumps neither shortens nor lengthens a pause', () => {
    const state = { ...quiet, resumeAtMonotonicMs: monotonicMs + 7, mayHaveEvents: true }
    for (const jumpMs of [-60 * MINUTE, 60 * MINUTE]) {
      expect(nextStep(state, { nowMs: nowMs + jumpMs, monotonicMs })).toEqual(wait(7))
    }
  })
})

/** A state after a change, and its differences from `quiet`. */
type StateRow = readonly [title: string, after: SenderState, differences: Partial<SenderState>]

const failing: SenderState = { ...quiet, failures: 4n, resumeAtMonotonicMs: monotonicMs + 3 }
const failed = { status: 500, isDelivered: false }
const busy = (status: number) => ({ status, retryAfter: '2', isDelivered: false })
const inSeconds = (seconds: number) => monotonicMs + seconds * SECOND
const paused: SenderState = { ...quiet, resumeAtMonotonicMs: inSeconds(2) }

const states: readonly StateRow[] = [
  [
    'a success resets the failures and ends the pause',
    withResult(failing, { status: 204, isDelivered: true }, now),
    { failures: 0n, resumeAtMonotonicMs: 0 },
  ],
  [
    'a failure is counted, and causes no pause at first',
    withResult(quiet, failed, now),
    { failures: 1n, resumeAtMonotonicMs: monotonicMs },
  ],
  [
    'the tenth failure causes a pause of a second',
    withResult({ ...quiet, failures: 9n }, failed, now),
    { failures: 10n, resumeAtMonotonicMs: inSeconds(1) },
  ],
  [
    'a missing response is a failure',
    withResult({ ...quiet, failures: 10n }, { isDelivered: false }, now),
    { failures: 11n, resumeAtMonotonicMs: inSeconds(2) },
  ],
  [
    'a receiver that responds 429 gets the pause that it asks for',
    withResult(quiet, busy(429), now),
    { failures: 1n, resumeAtMonotonicMs: inSeconds(2) },
  ],
  [
    'a receiver that responds 503 gets the pause that it asks for',
    withResult(quiet, busy(503), now),
    { failures: 1n, resumeAtMonotonicMs: inSeconds(2) },
  ],
  [
    'Retry-After with another status causes no pause',
    withResult(quiet, busy(500), now),
    { failures: 1n, resumeAtMonotonicMs: monotonicMs },
  ],
  [
    'a date in Retry-After is compared with the wall clock',
    withResult(quiet, { ...busy(503), retryAfter: new Date(nowMs + 3 * SECOND).toUTCString() }, now),
    { failures: 1n, resumeAtMonotonicMs: inSeconds(3) },
  ],
  [
    'a failure does not shorten a pause',
    withResult(paused, failed, now),
    { failures: 1n, resumeAtMonotonicMs: inSeconds(2) },
  ],
  [
    'an attempt that sent nothing is not a failure',
    withResult(failing, { unsent: true, isDelivered: false }, now),
    failing,
  ],
  ['a pause begins now', withPause(quiet, SECOND, now), { resumeAtMonotonicMs: inSeconds(1) }],
  [
    'a pause does not shorten an earlier one',
    withPause(paused, SECOND, now),
    { resumeAtMonotonicMs: inSeconds(2) },
  ],
  [
    'the stored failures apply while no attempt is in progress',
    withReceiver(failing, { failures: 12n }),
    { ...failing, failures: 12n },
  ],
  [
    'the stored failures are ignored during an attempt, because they may be outdated',
    withReceiver({ ...failing, inFlight: 1 }, { failures: 12n }),
    {
      ...failing,
      inFlight: 1,
    },
  ],
  ['a sender that has lost its lease stops', withReceiver(quiet, undefined), { isStopped: true }],
  [
    'a sender that is stopped stays stopped',
    withReceiver(withStop(quiet), { failures: 0n }),
    { isStopped: true },
  ],
  [
    'a check for due deliveries forgets the known due delivery and delays the poll',
    withDueRead({ ...quiet, nextDueMs: nowMs, nextPollMonotonicMs: 0 }, now),
    { nextDueMs: never, nextPollMonotonicMs: inSeconds(10) },
  ],
  [
    'an earlier due delivery brings the next check forward',
    withDue({ ...quiet, nextDueMs: nowMs + 2 }, nowMs + 1),
    {
      nextDueMs: nowMs + 1,
    },
  ],
  [
    'a later due delivery does not delay the next check',
    withDue({ ...quiet, nextDueMs: nowMs + 1 }, nowMs + 2),
    {
      nextDueMs: nowMs + 1,
    },
  ],
  ['an attempt takes a permit', withAttemptStarted(quiet), { inFlight: 1 }],
  [
    'an attempt that has ended releases its permit',
    withAttemptEnded({ ...quiet, inFlight: 4 }),
    { inFlight: 3 },
  ],
]

describe('the state', () => {
  test.each([...states])('%s', (_, after, differences) => {
    expect(after).toEqual({ ...quiet, ...differences })
  })
})
