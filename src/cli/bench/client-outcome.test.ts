import { expect, test } from 'bun:test'
import { clientOutcome } from './client-outcome.ts'

const clean = ['price 5\n', 'price 5\n'].map(kept => ({
  fault: '',
  provoked: 0,
  outcome: '',
  requests: 2,
  seconds: 1,
  kept,
}))
const ended = { exitCode: 0, isTimedOut: false, output: 'price 5\n', errors: '', seconds: 1 }

test.each([
  ['did not end', { ...ended, isTimedOut: true }, 2],
  ['crashed', { ...ended, exitCode: 139 }, 2],
  ['crashed', { ...ended, exitCode: 1, errors: 'Traceback (most recent call last):\n' }, 2],
  ['crashed', { ...ended, exitCode: 1, errors: 'TypeError: x\n    at main (client.mjs:3:1)\n' }, 2],
  ['noticed', { ...ended, exitCode: 1, errors: 'the order has no price\n' }, 2],
  ['took a wrong value', { ...ended, output: 'price 6\n' }, 2],
  ['repeated a request', ended, 3],
  ['went on', ended, 2],
])('a client %s', (outcome, run, requests) => {
  expect(clientOutcome(run, requests, clean)).toBe(outcome)
})

test('a client whose output always differs is not said to have taken a wrong value', () => {
  const other = clean.map((row, index) => ({ ...row, kept: `run ${index}` }))
  expect(clientOutcome({ ...ended, output: 'run 2' }, 2, other)).toBe('went on')
})
