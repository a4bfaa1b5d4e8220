import { expect, test } from 'bun:test'
import { makeSecretBox } from './secret-box.ts'

const box = makeSecretBox(new Uint8Array(32).fill(1))

test('an encrypted text differs each time, and is decrypted only unchanged and with its key', () => {
  const [one = '', other = ''] = [box.encrypt('whsec_x'), box.encrypt('whsec_x')]
  expect(one).not.toBe(other)
  // The bytes after the nonce differ too: they would not, if the nonce were the same.
  expect(one.slice('v1.'.length + 16)).not.toBe(other.slice('v1.'.length + 16))
  expect([box.decrypt(one), box.decrypt(other)]).toEqual(['whsec_x', 'whsec_x'])
  const changed = one.slice(0, 30) + (one[30] === 'A' ? 'B' : 'A') + one.slice(31)
  for (const broken of [changed, one.slice(0, -8), one.replace('v1', 'v2'), '', 'v1.'])
    expect(() => box.decrypt(broken)).toThrow()
  expect(() => makeSecretBox(new Uint8Array(32)).decrypt(one)).toThrow()
})
