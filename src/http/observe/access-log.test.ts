import { expect, test } from 'bun:test'
import { entryText } from '../../values/log.ts'
import { RepeatedEntry } from './access-log.ts'

const parts = {
  textBeforeMs: ',"method":"GET","path":"/pets/1","status":200,"ms":',
  textAfterMs: ',"operationId":"getPet"',
}

/** Returns the text of an entry, and throws if the entry would write beyond its maximum length. */
function textOf(values: Partial<RepeatedEntry>): string {
  const entry = Object.assign(new RepeatedEntry(parts), values)
  const bytes = Buffer.alloc(entry.bytesMax + 100)
  const end = entry.encodeInto(bytes, 7)
  if (end - 7 > entry.bytesMax) throw new Error(`the entry has ${end - 7} bytes`)
  expect(entryText(entry)).toBe(bytes.toString('utf8', 7, end))
  return entryText(entry)
}

test('an entry of a repeated read has the members of the other entries, in their order', () => {
  const values = { requestId: 'abc-1', address: '::1', nowMs: 1_764_082_634_000, tookMs: 0.0124 }
  expect(textOf(values)).toBe(
    '{"level":30,"time":1764082634000,"requestId":"abc-1","method":"GET","path":"/pets/1","status":200,"ms":0.012,' +
      '"operationId":"getPet","address":"::1","msg":"responded"}',
  )
})

test('an entry of a repeated read has the numbers of JSON, whatever the clock and the duration are', () => {
  const times = [0, 1, 1_764_082_634_000, 1_764_082_634_001, 1_764_082_634_000, 8.64e15, -5]
  const durations = [
    0, 0.0004, 0.0005, 0.001, 0.012, 0.0124, 0.999, 0.9996, 1, 1.0005, 7.25, 61_234.5678, 1e21, -0.01,
  ]
  for (const nowMs of times) {
    for (const tookMs of durations) {
      const { time, ms } = JSON.parse(textOf({ nowMs, tookMs, requestId: `${'x'.repeat(12)}-${2 ** 53}` }))
      expect({ time, ms }).toEqual({ time: nowMs, ms: Math.round(tookMs * 1000) / 1000 })
    }
  }
})
