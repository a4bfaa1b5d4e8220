import { expect, test } from 'bun:test'
import { settings } from './config.ts'
import { readNetwork, readRetryDelays } from './setting-readers.ts'
import { RETRY_DELAYS_MS } from './webhooks/retry.ts'

test('the delays between attempts are read in seconds, minutes and hours', () => {
  expect(readRetryDelays('1s,5s,1m')).toEqual([1000, 5000, 60_000])
  expect(readRetryDelays(' 1s, 2h ')).toEqual([1000, 7_200_000])
  expect(readRetryDelays('86400s,1440m,24h')).toEqual([86_400_000, 86_400_000, 86_400_000])
  expect(readRetryDelays(Array.from({ length: 20 }, () => '1s').join())).toHaveLength(20)
})

test('invalid delays between attempts are refused', () => {
  const tooMany = Array.from({ length: 21 }, () => '1s').join()
  const texts = [
    '',
    ',',
    '1s,',
    '1s,,2s',
    '0s',
    '01s',
    '-1s',
    '1.5s',
    '1',
    '1d',
    '500ms',
    '25h',
    '86401s',
    tooMany,
  ]
  const refused = texts.filter(text => {
    try {
      readRetryDelays(text)
      return false
    } catch (error) {
      return String(error).includes('it must be 1 to 20 delays, each from 1s to 24h')
    }
  })
  expect(refused).toEqual(texts)
})

test('the description of the delays between attempts names the default schedule', () => {
  const [, schedule = ''] = /\(default: (.*)\)/.exec(settings.webhookRetries.description) ?? []
  expect(readRetryDelays(schedule)).toEqual([...RETRY_DELAYS_MS])
})

test('a trusted proxy is an address or a network, with at most one prefix length', () => {
  for (const good of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8']) expect(readNetwork(good)).toBe(good)
  for (const bad of ['', 'proxy', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/8/9', '10.0.0.0/-1']) {
    expect(() => readNetwork(bad)).toThrow('each must be an address or a network')
  }
})
