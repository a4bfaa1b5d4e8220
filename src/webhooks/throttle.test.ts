import { expect, test } from 'bun:test'
import { Throttle } from './throttle.ts'

/** A pace with the clock that it reads. */
function throttle(): { readonly it: Throttle; readonly pass: (ms: number) => void } {
  let nowMs = 0
  return {
    it: new Throttle(() => nowMs),
    pass: ms => {
      nowMs += ms
    },
  }
}

test('deliveries do not pause in a quiet shop, nor when many events end a long silence', () => {
  const { it, pass } = throttle()
  expect(it.pauseMs()).toBe(0)
  it.observe(1_000_000n)
  expect(it.pauseMs()).toBe(0)
  pass(200)
  it.observe(1_000_200n)
  expect(it.pauseMs()).toBe(0)
})

test('deliveries pause while there are more than a thousand events per second, and then continue', () => {
  const { it, pass } = throttle()
  it.observe(0n)
  pass(200)
  it.observe(201n)
  expect(it.pauseMs()).toBe(250)
  pass(499)
  expect(it.pauseMs()).toBe(250)
  pass(1)
  expect(it.pauseMs()).toBe(0)
})

test('a measurement too soon after the previous one is ignored', () => {
  const { it, pass } = throttle()
  it.observe(0n)
  pass(99)
  it.observe(1000n)
  expect(it.pauseMs()).toBe(0)
  pass(1)
  it.observe(1000n)
  expect(it.pauseMs()).toBe(250)
})
