import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/root.ts'
import { thirdPartyPage } from './third-party.ts'

test('THIRD-PARTY.md is what `npm run third-party` writes', () => {
  expect(readFileSync(join(ROOT, 'THIRD-PARTY.md'), 'utf8')).toBe(thirdPartyPage())
})
