import { expect, test } from 'bun:test'
import { until } from '../../test/support/until.ts'
import { Deadlines } from './deadlines.ts'

test('deadlines expire in order, and cleared deadlines do not expire', async () => {
  const deadlines = new Deadlines(50)
  const passed: string[] = []
  const set = (name: string) => deadlines.set(() => passed.push(name))
  set('first')
  const cleared = set('cleared')
  await Bun.sleep(30)
  set('second')
  deadlines.clear(cleared)
  await until('both have expired', () => passed.length > 1)
  expect(passed).toEqual(['first', 'second'])
})

test('a deadline that is set after all others were cleared still expires', async () => {
  const deadlines = new Deadlines(20)
  deadlines.clear(deadlines.set(() => {}))
  await Bun.sleep(40)
  const passed = Promise.withResolvers<number>()
  const setAt = performance.now()
  deadlines.set(() => passed.resolve(performance.now()))
  expect((await passed.promise) - setAt).toBeGreaterThanOrEqual(20)
})
