import { expect, test } from 'bun:test'
import { Admission, CapacityLimiter } from './admission.ts'

const MIB = 1024 * 1024

/** Returns the numbers of successful and of refused calls. */
async function outcomesOf(calls: Iterable<() => unknown>): Promise<{ admitted: number; refused: number }> {
  let [admitted, refused] = [0, 0]
  for (const call of calls) {
    try {
      await call()
      admitted++
    } catch {
      refused++
    }
  }
  return { admitted, refused }
}

function repeat<T>(count: number, call: () => T): (() => T)[] {
  return Array.from({ length: count }, () => call)
}

test('a caller whose bodies were refused can send bodies again, as soon as its others have arrived', async () => {
  const admission = new Admission()
  const body = Promise.withResolvers<void>()
  const send = (bytes: number, read = async () => {}) =>
    admission.enter('203.0.113.1').whileBodyArrives('key 1', bytes, read)
  const large = send(64 * MIB, () => body.promise)
  // The bytes of the large body leave no room for others, whose number has a limit of its own.
  expect(await outcomesOf(repeat(900, () => send(1)))).toEqual({ admitted: 0, refused: 900 })
  body.resolve()
  await large
  const arrival = Promise.withResolvers<void>()
  const sent = Array.from({ length: 50 }, () => send(MIB, () => arrival.promise))
  arrival.resolve()
  const outcomes = await Promise.allSettled(sent)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
})

test('a body that has arrived or failed counts no more, however many there are', async () => {
  const admission = new Admission()
  const send = async (read: () => Promise<void>): Promise<void> => {
    const slot = admission.enter('203.0.113.1')
    await slot.whileBodyArrives('key 1', MIB, read).finally(() => slot.leave())
  }
  const fail = async () => {
    throw new Error('cut off')
  }
  expect(await outcomesOf(repeat(600, () => send(fail)))).toEqual({ admitted: 0, refused: 600 })
  expect(await outcomesOf(repeat(600, () => send(async () => {})))).toEqual({ admitted: 600, refused: 0 })
})

test('a request that ends without a slot frees no slot of another request', async () => {
  const admission = new Admission()
  const enter = () => admission.enter('203.0.113.1')
  const failing = enter()
  expect(await outcomesOf(repeat(999, enter))).toEqual({ admitted: 999, refused: 0 })
  const cutOff = failing.whileBodyArrives('key 1', 1, () => Promise.reject(new Error('cut off')))
  await expect(cutOff).rejects.toThrow('cut off')
  expect(admission.waiting).toBe(1)
  failing.leave()
  expect(admission.waiting).toBe(0)
  expect(await outcomesOf(repeat(2, enter))).toEqual({ admitted: 1, refused: 1 })
})

test('all callers together get no more than the total', () => {
  const limiter = new CapacityLimiter({ total: 3, perCaller: 2 })
  expect(['a', 'a', 'a', 'b', 'c'].map(caller => limiter.take(caller))).toEqual([
    true,
    true,
    false,
    true,
    false,
  ])
  limiter.release('a')
  expect(limiter.take('c')).toBe(true)
})

test('a limit within a shared one takes from both or from none, and releases both', () => {
  const shared = new CapacityLimiter({ total: 3, perCaller: 2 })
  const limits = ['one', 'two'].map(
    name => new CapacityLimiter({ total: 10, perCaller: 2 }, { limiter: shared, name }),
  )
  const [one = shared, two = shared] = limits
  expect([one.take('a', 2), two.take('b', 2)]).toEqual([true, false])
  for (let round = 0; round < 20; round++) expect(two.take('b', 2)).toBe(false)
  expect(two.take('b')).toBe(true)
  one.release('a', 2)
  expect([two.take('b'), one.take('a')]).toEqual([true, true])
})
