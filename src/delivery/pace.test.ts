import { expect, test } from 'bun:test'
import { Pace } from './pace.ts'

/** A pace with the clock that it reads. */
function pace(): { readonly it: Pace; readonly pass: (ms: number) => void } {
  let nowMs = 0
  return {
    it: new Pace(() => nowMs),
    pass: ms => {
      nowMs += ms
    },
  }
}

test('deliveries do not pause in a quiet shop, nor when many events end a long silence', () => {
  const { it, pass } = pace()
  expect(it.restMs()).toBe(0)
  it.note(1_000_000n)
  expect(it.restMs()).toBe(0)
  pass(200)
  it.note(1_000_200n)
  expect(it.restMs()).toBe(0)
})

test('deliveries pause while there are more than a thousand events per second, and then continue', () => {
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

test('a measurement too soon after the previous one is ignored', () => {
  const { it, pass } = pace()
  it.note(0n)
  pass(99)
  it.note(1000n)
  expect(it.restMs()).toBe(0)
  pass(1)
  it.note(1000n)
  expect(it.restMs()).toBe(250)
})
