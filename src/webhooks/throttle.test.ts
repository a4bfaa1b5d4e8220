import { expect, test } from 'bun:test'
import { Throttle } from './throttle.ts'

/** Returns a throttle, and a function that advances its clock. */
function makeThrottle(): { readonly throttle: Throttle; readonly pass: (ms: number) => void } {
  let nowMs = 0
  return {
    throttle: new Throttle(() => nowMs),
    pass: ms => {
      nowMs += ms
    },
  }
}

test('deliveries do not pause in a quiet shop, nor when many events end a long silence', () => {
  const { throttle, pass } = makeThrottle()
  expect(throttle.pauseMs()).toBe(0)
  throttle.observe(1_000_000n)
  expect(throttle.pauseMs()).toBe(0)
  pass(200)
  throttle.observe(1_000_200n)
  expect(throttle.pauseMs()).toBe(0)
})

test('deliveries pause while there are more than a thousand events per second, and then continue', () => {
  const { throttle, pass } = makeThrottle()
  throttle.observe(0n)
  pass(200)
  throttle.observe(201n)
  expect(throttle.pauseMs()).toBe(250)
  pass(499)
  expect(throttle.pauseMs()).toBe(250)
  pass(1)
  expect(throttle.pauseMs()).toBe(0)
})

test('a measurement too soon after the previous one is ignored', () => {
  const { throttle, pass } = makeThrottle()
  throttle.observe(0n)
  pass(99)
  throttle.observe(1000n)
  expect(throttle.pauseMs()).toBe(0)
  pass(1)
  throttle.observe(1000n)
  expect(throttle.pauseMs()).toBe(250)
})
