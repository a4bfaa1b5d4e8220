import { expect, test } from 'bun:test'
import { contract } from '../../shop/registry/operations.ts'
import type { Log } from '../../values/log.ts'
import { responseLog } from './access-log.ts'

const responded = {
  request: new Request('http://shop/pets/1'),
  requestId: 'abc-1',
  address: '::1',
  nowMs: 1_764_082_634_000 as number,
  path: '/pets/1',
  route: { id: 'getPet', operation: contract.getPet },
} as const

function accessLine(values: Partial<typeof responded>, status: number, tookMs: number): string {
  const lines: string[] = []
  const log: Log = { access: line => lines.push(line), info: () => {}, error: () => {} }
  responseLog(log)({ ...responded, ...values }, status, tookMs, undefined)
  return lines.join()
}

test('a line of the access log has its members in a fixed order', () => {
  expect(accessLine({}, 200, 0.0124)).toBe(
    '{"level":30,"time":1764082634000,"requestId":"abc-1","method":"GET","path":"/pets/1","status":200,"ms":0.012,' +
      '"operationId":"getPet","address":"::1","msg":"responded"}',
  )
})

test('a line of the access log has the numbers of JSON, whatever the clock and the duration are', () => {
  const durations = [0, 0.0004, 0.0005, 0.001, 0.9996, 1, 1.0005, 7.25, 61_234.5678, 1e21, -0.01]
  for (const nowMs of [0, 1, 1_764_082_634_001, 8.64e15, -5]) {
    for (const tookMs of durations) {
      const { time, ms } = JSON.parse(accessLine({ nowMs }, 200, tookMs))
      expect({ time, ms }).toEqual({ time: nowMs, ms: Math.round(tookMs * 1000) / 1000 })
    }
  }
})
