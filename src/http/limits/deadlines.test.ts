import { expect, test } from 'bun:test'
import { until } from '../../../test/support/until.ts'
import { Deadlines } from './deadlines.ts'

test('deadlines expire in order, and cleared deadlines do not expire', async () => {
  const deadlines = new Deadlines(50)
  const expired: string[] = []
  const set = (name: string) => deadlines.set(() => expired.push(name))
  set('first')
  const cleared = set('cleared')
  await Bun.sleep(30)
  set('second')
  deadlines.clear(cleared)
  await until('both have expired', () => expired.length > 1)
  expect(expired).toEqual(['first', 'second'])
})

test('a deadline that is set after all others were cleared still expires', async () => {
  const deadlines = new Deadlines(20)
  deadlines.clear(deadlines.set(() => {}))
  await Bun.sleep(40)
  const expired = Promise.withResolvers<number>()
  const setAt = performance.now()
  deadlines.set(() => expired.resolve(performance.now()))
  expect((await expired.promise) - setAt).toBeGreaterThanOrEqual(20)
})
