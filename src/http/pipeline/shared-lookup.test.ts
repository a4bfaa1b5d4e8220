import { expect, test } from 'bun:test'
import { until } from '../../../test/support/until.ts'
import { SharedLookup } from './shared-lookup.ts'

/** Returns a SharedLookup whose results the test decides: each lookup that it starts adds an entry to `started`. */
function makeLookup(): { lookup: SharedLookup<string>; started: PromiseWithResolvers<string>[] } {
  const started: PromiseWithResolvers<string>[] = []
  const lookup = new SharedLookup(() => {
    const result = Promise.withResolvers<string>()
    started.push(result)
    return result.promise
  })
  return { lookup, started }
}

test('calls during a lookup share the next one, and do not get the result of the one in progress', async () => {
  const { lookup, started } = makeLookup()
  const first = lookup.find('key')
  const later = Array.from({ length: 10 }, () => lookup.find('key'))
  expect(started).toHaveLength(1)
  started[0]?.resolve('before the change')
  expect(await first).toBe('before the change')
  await until('the second lookup has started', () => started.length === 2)
  started[1]?.resolve('after the change')
  expect(new Set(await Promise.all(later))).toEqual(new Set(['after the change']))
  expect(started).toHaveLength(2)
})

test('a call that comes during the second lookup gets the result of a third', async () => {
  const { lookup, started } = makeLookup()
  const first = lookup.find('key')
  const second = lookup.find('key')
  started[0]?.resolve('1')
  expect(await first).toBe('1')
  await until('the second lookup has started', () => started.length === 2)
  const third = lookup.find('key')
  started[1]?.resolve('2')
  expect(await second).toBe('2')
  await until('the third lookup has started', () => started.length === 3)
  started[2]?.resolve('3')
  expect(await third).toBe('3')
})

test('keys do not wait for each other, and a call after the end of a lookup starts a new one', async () => {
  const { lookup, started } = makeLookup()
  const one = lookup.find('one')
  const other = lookup.find('other')
  started[1]?.resolve('other')
  expect(await other).toBe('other')
  started[0]?.resolve('one')
  expect(await one).toBe('one')
  const again = lookup.find('one')
  expect(started).toHaveLength(3)
  started[2]?.resolve('one again')
  expect(await again).toBe('one again')
})

test('an error reaches only the calls that share the lookup', async () => {
  const { lookup, started } = makeLookup()
  const first = lookup.find('key')
  const second = lookup.find('key')
  started[0]?.reject(new Error('unknown key'))
  expect(await first.catch(String)).toBe('Error: unknown key')
  await until('the second lookup has started', () => started.length === 2)
  started[1]?.resolve('known')
  expect(await second).toBe('known')
})

test('a lookup that does not end delays the next one by a short time only', async () => {
  const { lookup, started } = makeLookup()
  void lookup.find('key')
  const second = lookup.find('key')
  await until('the second lookup has started', () => started.length === 2, 2000)
  started[1]?.resolve('known')
  expect(await second).toBe('known')
})
