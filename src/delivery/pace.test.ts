import { expect, test } from 'bun:test'
import { Pace } from './pace.ts'

/** A pace, and the clock that it goes by. */
function pace(): { readonly it: Pace; readonly pass: (ms: number) => void } {
  let nowMs = 0
  return {
    it: new Pace(() => nowMs),
    pass: ms => {
      nowMs += ms
    },
  }
}

test('nothing rests in a quiet shop, nor after a long silence that many events have ended', () => {
  const { it, pass } = pace()
  expect(it.restMs()).toBe(0)
  it.note(1_000_000n)
  expect(it.restMs()).toBe(0)
  pass(200)
  it.note(1_000_200n)
  expect(it.restMs()).toBe(0)
})

test('deliveries rest while more than a thousand events happen in a second, and then go on', () => {
  const { it, pass } = pace()
  it.note(0n)
  pass(200)
  it.note(201n)
  expect(it.restMs()).toBe(250)
  pass(499)
  expect(it.restMs()).toBe(250)
  pass(1)
  expect(it.restMs()).toBe(0)
})

test('a look that comes too soon after another is not one', () => {
  const { it, pass } = pace()
  it.note(0n)
  pass(99)
  it.note(1000n)
  expect(it.restMs()).toBe(0)
  pass(1)
  it.note(1000n)
  expect(it.restMs()).toBe(250)
})
