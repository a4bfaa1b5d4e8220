import { expect, test } from 'bun:test'
import { prepareContent, prepareOnce } from './content.ts'

test('content that could not be prepared is prepared again by the next call, and then kept', async () => {
  let calls = 0
  const prepared = prepareOnce(async () => {
    if (++calls === 1) throw new Error('the file cannot be read')
    return prepareContent('text/plain', 'Otters')
  })
  await expect(prepared()).rejects.toThrow('the file cannot be read')
  const content = await prepared()
  expect(content.type).toBe('text/plain')
  expect([await prepared(), calls]).toEqual([content, 2])
})
