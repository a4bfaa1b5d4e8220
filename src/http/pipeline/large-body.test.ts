import { expect, test } from 'bun:test'
import { CapacityLimiter } from '../limits/admission.ts'
import { Deadlines } from '../limits/deadlines.ts'
import { largeBody } from './large-body.ts'

test('the share of a large response is released once, if its client stops reading and then disconnects', async () => {
  const largeBodies = new CapacityLimiter({ total: 2, perCaller: 2 })
  const closed = Promise.withResolvers<void>()
  let closedSources = 0
  const open = () =>
    largeBody(
      { address: '192.0.2.1', largeBodies, closeConnection: closed.resolve },
      {
        next: async () => new Uint8Array(10),
        close: async () => {
          closedSources++
        },
      },
      new Deadlines(10),
    ).getReader()
  const stalled = open()
  await stalled.read()
  expect(largeBodies.take('192.0.2.1')).toBe(true)
  await closed.promise
  await stalled.cancel()
  expect(closedSources).toBe(1)
  expect([largeBodies.take('192.0.2.1'), largeBodies.take('192.0.2.1')]).toEqual([true, false])
  expect(open).toThrow('Too many large responses')
  expect(closedSources).toBe(2)
})
