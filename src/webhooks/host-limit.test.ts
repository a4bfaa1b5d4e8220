import { expect, test } from 'bun:test'
import { HostLimit, type HostLimitOptions } from './host-limit.ts'

const MINUTE_MS = 60_000

/** Returns a limit, a function that takes an attempt by URL and address, and a function that advances the clock. */
function makeLimit(options: Pick<HostLimitOptions, 'attemptsMax' | 'hostsMax'>) {
  let nowMs = 5
  const limit = new HostLimit({ ...options, monotonicClock: () => nowMs })
  return {
    limit,
    take: (url: string, address: string) => limit.take({ url: new URL(url), addresses: [address] }),
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

test('a host gets no more attempts in any minute than the limit', () => {
  const { take, pass } = makeLimit({ attemptsMax: 2 })
  const send = () => take('https://shop.example/hook', '192.0.2.1')
  expect(send()).toBe(0)
  pass(30_000)
  expect(send()).toBe(0)
  expect(send()).toBe(30_000)
  pass(29_999)
  expect(send()).toBe(1)
  pass(1)
  expect(send()).toBe(0)
  expect(send()).toBe(30_000)
})

test('the names of one address share its limit, and the addresses of one name share its limit', () => {
  const { take } = makeLimit({ attemptsMax: 2 })
  expect(take('https://a.example', '192.0.2.1')).toBe(0)
  expect(take('https://b.example', '192.0.2.1')).toBe(0)
  expect(take('https://c.example', '192.0.2.1')).toBe(MINUTE_MS)
  expect(take('https://a.example', '192.0.2.2')).toBe(0)
  expect(take('https://a.example', '192.0.2.3')).toBe(MINUTE_MS)
  expect(take('https://d.example', '192.0.2.4')).toBe(0)
})

test('a host is the same at another port, at another path, with a trailing dot and in capital letters', () => {
  const { take } = makeLimit({ attemptsMax: 1 })
  expect(take('https://shop.example/a', '192.0.2.1')).toBe(0)
  for (const url of ['http://shop.example:81/b', 'https://shop.example./', 'https://SHOP.example']) {
    expect(take(url, '192.0.2.2')).toBe(MINUTE_MS)
  }
})

test('the IPv6 addresses of one /64 share a limit', () => {
  const { take } = makeLimit({ attemptsMax: 1 })
  expect(take('https://a.example', '2600:1::1')).toBe(0)
  expect(take('https://b.example', '2600:1:0:0:ffff::2')).toBe(MINUTE_MS)
  expect(take('https://c.example', '2600:1:0:1::1')).toBe(0)
})

test('an attempt that must wait does not count', () => {
  const { take, pass } = makeLimit({ attemptsMax: 1 })
  expect(take('https://a.example', '192.0.2.1')).toBe(0)
  pass(MINUTE_MS - 1)
  expect(take('https://b.example', '192.0.2.1')).toBe(1)
  pass(1)
  expect(take('https://b.example', '192.0.2.1')).toBe(0)
})

test('a limit forgets the hosts without an attempt in the last minute', () => {
  const { limit, take, pass } = makeLimit({ attemptsMax: 1 })
  for (let host = 0; host < 100; host++) take(`https://${host}.example`, `192.0.2.${host}`)
  expect(limit.hostCount).toBe(200)
  pass(MINUTE_MS)
  take('https://shop.example', '198.51.100.1')
  expect(limit.hostCount).toBe(2)
})

test('a limit remembers a bounded number of hosts: those with the latest attempts', () => {
  const { limit, take } = makeLimit({ attemptsMax: 2, hostsMax: 20 })
  for (let host = 0; host < 100; host++) {
    take(`https://${host}.example`, `192.0.2.${host}`)
    expect(limit.hostCount).toBeLessThanOrEqual(20)
  }
  expect(take('https://99.example', '192.0.2.99')).toBe(0)
  expect(take('https://99.example', '192.0.2.99')).toBe(MINUTE_MS)
})

test('a limit that is full forgets the host without an attempt for the longest time, not the first one', () => {
  const { take } = makeLimit({ attemptsMax: 2, hostsMax: 4 })
  expect(take('https://a.example', '192.0.2.1')).toBe(0)
  expect(take('https://b.example', '192.0.2.2')).toBe(0)
  expect(take('https://a.example', '192.0.2.1')).toBe(0)
  expect(take('https://c.example', '192.0.2.3')).toBe(0)
  expect(take('https://a.example', '192.0.2.1')).toBe(MINUTE_MS)
})
