import { expect, test } from 'bun:test'
import type { Operation } from './operation.ts'
import { refusalsOf } from './refusals-of.ts'

test('the examples of a preview and of a deprecation name the operation itself and its own date', () => {
  const deprecation = { deprecatedAtMs: 0, sunsetAtMs: 0, successor: () => '/', docs: '/' }
  const success = { status: 204, description: 'Done.' } as const
  const operation: Operation = {
    method: 'GET',
    path: '/',
    tag: 'Tills',
    summary: 'Read',
    scope: 'public',
    success,
    deprecation,
    preview: 'tills',
  }
  const messages = refusalsOf('readTill', operation).map(({ message }) => message)
  expect(messages).toContain(
    'readTill was retired on Thu, 01 Jan 1970 00:00:00 GMT; Link names its replacement.',
  )
  expect(messages.filter(message => message.startsWith('readTill is experimental'))).toHaveLength(1)
})
