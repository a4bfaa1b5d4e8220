import { expect, test } from 'bun:test'
import type { RowChanges } from '../database/row-changes.ts'
import type { Caller } from '../shop/kernel/context.ts'
import { KEY_TABLE, KnownCallers } from './known-callers.ts'

const changed = (table: string): RowChanges => new Map([[table, new Set([1n])]])

/** Returns callers whose lookups end when the test says so, and the tokens that were looked up. */
function callersWith(clock: () => number = Date.now) {
  const lookups: { token: string; end(caller?: Partial<Caller>): void }[] = []
  const callers = new KnownCallers({
    find: token =>
      new Promise(resolve => {
        const end = (caller: Partial<Caller> = {}): void => resolve({ keyId: 1n, scopes: [], ...caller })
        lookups.push({ token, end })
      }),
    clock,
  })
  const find = async (token: string, caller?: Partial<Caller>): Promise<void> => {
    const found = callers.find(token)
    lookups.at(-1)?.end(caller)
    await found
  }
  return { callers, lookups, find }
}

test('the caller of a key whose table changed during the lookup is not kept', async () => {
  const { callers, lookups } = callersWith()
  const found = callers.find('till')
  callers.drop(changed(KEY_TABLE))
  lookups[0]?.end()
  expect((await found).keyId).toBe(1n)
  expect(callers.known('till')).toBeUndefined()
})

test('a change of the keys forgets all callers, and a change of another table forgets none', async () => {
  const { callers, find } = callersWith()
  await find('till')
  callers.drop(changed('pet'))
  expect(callers.known('till')?.keyId).toBe(1n)
  callers.drop(changed(KEY_TABLE))
  expect(callers.known('till')).toBeUndefined()
})

test('a caller is known until the instant at which its key expires', async () => {
  let now = '2026-11-21T00:00:00.999Z'
  const { callers, find } = callersWith(() => Date.parse(now))
  await find('till', { expiresAt: '2026-11-21T00:00:01.000Z' })
  expect(callers.known('till')).toBeDefined()
  now = '2026-11-21T00:00:01.000Z'
  expect(callers.known('till')).toBeUndefined()
})

test('at most a thousand callers are in memory', async () => {
  const { callers, find } = callersWith()
  for (let till = 1; till <= 1000; till++) await find(`till ${till}`)
  expect([callers.known('till 1'), callers.known('till 1000')].map(caller => caller?.keyId)).toEqual([1n, 1n])
  await find('till 1001')
  expect([callers.known('till 1')?.keyId, callers.known('till 1001')?.keyId]).toEqual([undefined, 1n])
})
