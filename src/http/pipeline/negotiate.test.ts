import { expect, test } from 'bun:test'
import { refuseUnacceptable } from './negotiate.ts'

const operation = { success: {} }

test.each([
  ['application/json, */*;q=0', true],
  ['*/*;q=0, application/json', true],
  ['application/*, application/json;q=0', false],
  ['application/json;q=0, application/*', false],
  ['text/html, application/*;q=0.1', true],
  ['text/html', false],
])('the most specific range of Accept decides, in any order: %s', (accept, isAccepted) => {
  const check = () => refuseUnacceptable(new Headers({ accept }), operation)
  if (isAccepted) expect(check).not.toThrow()
  else expect(check).toThrow()
})
