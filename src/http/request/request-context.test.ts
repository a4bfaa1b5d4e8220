import { expect, test } from 'bun:test'
import { callerName } from './request-context.ts'

test('the addresses of one IPv6 network are one caller without a key, and a key is one caller anywhere', () => {
  const addresses = ['2001:db8::1', '2001:db8::ffff', '2001:db8:0:1::1']
  const names = addresses.map(address => callerName({ address }))
  expect(names[1]).toBe(names[0] ?? '')
  expect(names[2]).not.toBe(names[0] ?? '')
  const caller = { keyId: 7n, scopes: [] }
  expect(new Set(addresses.map(address => callerName({ address, caller }))).size).toBe(1)
})
