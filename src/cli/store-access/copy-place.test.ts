import { expect, test } from 'bun:test'
import { parsePlace } from './copy-place.ts'

test('the password of the settings is used for a URL without a password, and for no other', () => {
  const passwordOf = (text: string): string | undefined => {
    const place = parsePlace('--to', text, () => 'other')
    if (place.kind !== 'database') throw new Error('it is no database')
    return place.address.hosts[0]?.passwordOf?.()
  }
  expect(passwordOf('postgres://shop@db.example/shop')).toBe('other')
  expect(passwordOf('postgres://shop:own@db.example/shop')).toBeUndefined()
  expect(passwordOf('postgres://shop@db.example/shop?password=own')).toBeUndefined()
})
