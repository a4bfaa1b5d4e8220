import { expect, test } from 'bun:test'
import { describeFile } from './backup-manifest.ts'

test('an interruption ends the check of a large file between two chunks', async () => {
  const controller = new AbortController()
  let bytes = 0
  const onBytes = (count: number): void => {
    bytes += count
    controller.abort(new Error('interrupted'))
  }
  const { size } = Bun.file(process.execPath)
  const described = describeFile(process.execPath, { signal: controller.signal, onBytes })
  expect(await described.catch(String)).toBe('Error: interrupted')
  expect(bytes).toBeLessThan(size)
})
