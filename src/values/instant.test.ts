import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatInstant, formatInstantMs, parseInstantMs, storedInstant, toStoredInstant } from './instant.ts'
import { instant } from './instant-schema.ts'

const RUNS = 1000
const SEED = 20_261_121

const YEAR_1_MS = Date.parse('0001-01-01T00:00:00.000Z')
const YEAR_9999_END_MS = Date.parse('9999-12-31T23:59:59.999Z')
const anyMs = fc.integer({ min: YEAR_1_MS, max: YEAR_9999_END_MS })

function assertProperty<Ts>(property: fc.IProperty<Ts>): void {
  fc.assert(property, { numRuns: RUNS, seed: SEED })
}

test('every instant in the years 1 to 9999 is parsed back from its text', () => {
  assertProperty(fc.property(anyMs, ms => parseInstantMs(formatInstantMs(ms)) === ms))
  assertProperty(fc.property(anyMs, ms => parseInstantMs(storedInstant(ms)) === ms))
  expect(parseInstantMs('0001-01-01T00:00:00Z')).toBe(YEAR_1_MS)
  expect(parseInstantMs('9999-12-31T23:59:59.999Z')).toBe(YEAR_9999_END_MS)
})

test('the order of stored texts is the order of time', () => {
  assertProperty(
    fc.property(anyMs, anyMs, (one, other) => storedInstant(one) < storedInstant(other) === one < other),
  )
})

test('times with different offsets can be the same instant', () => {
  const minutes = fc.integer({ min: 0, max: 23 * 60 + 59 })
  const inside = fc.integer({ min: YEAR_1_MS + 86_400_000, max: YEAR_9999_END_MS - 86_400_000 })
  assertProperty(
    fc.property(inside, minutes, fc.boolean(), (ms, offset, east) => {
      const local = storedInstant(ms + (east ? offset : -offset) * 60_000).slice(0, -1)
      const two = (value: number): string => String(value).padStart(2, '0')
      const sign = east ? '+' : '-'
      return parseInstantMs(`${local}${sign}${two(Math.floor(offset / 60))}:${two(offset % 60)}`) === ms
    }),
  )
})

test('milliseconds are sent only if they are not zero, and finer fractions are truncated', () => {
  expect(formatInstantMs(0)).toBe('1970-01-01T00:00:00Z')
  expect(formatInstantMs(120)).toBe('1970-01-01T00:00:00.120Z')
  expect(parseInstantMs('1970-01-01T00:00:00.1Z')).toBe(100)
  expect(parseInstantMs('1970-01-01T00:00:00.0019999999Z')).toBe(1)
  expect(parseInstantMs('1969-12-31T23:59:59.9999Z')).toBe(-1)
  assertProperty(fc.property(anyMs, ms => formatInstant(storedInstant(ms)) === formatInstantMs(ms)))
})

test('the letters T and Z may be in lower case, and -00:00 is UTC', () => {
  expect(parseInstantMs('1970-01-01t00:00:01z')).toBe(1000)
  expect(parseInstantMs('1970-01-01T00:00:01-00:00')).toBe(1000)
})

test('text that is not an RFC 3339 date-time, or whose date does not exist, is rejected', () => {
  const texts = [
    '',
    'tomorrow',
    '2026-12-01',
    '2026-12-01T00:00Z',
    '2026-12-01T00:00:00',
    '2026-12-01 00:00:00Z',
    '2026-12-01T00:00:00.Z',
    '2026-12-01T00:00:00,5Z',
    '2026-12-01T00:00:00+0000',
    '2026-12-01T00:00:00+24:00',
    '2026-12-01T00:00:00+00:60',
    '2026-12-01T24:00:00Z',
    '2026-12-01T00:60:00Z',
    '2016-12-31T23:59:60Z',
    '2026-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-13-10T00:00:00Z',
    '2026-12-00T00:00:00Z',
    '26-12-01T00:00:00Z',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '+02026-12-01T00:00:00Z',
    ' 2026-12-01T00:00:00Z',
    '2026-12-01T00:00:00Z\n',
    '٢٠٢٦-12-01T00:00:00Z',
  ]
  expect(texts.filter(text => parseInstantMs(text) !== undefined)).toEqual([])
  expect(texts.filter(text => instant.safeParse(text).success)).toEqual([])
})

test('leap days are parsed in leap years', () => {
  expect(parseInstantMs('2024-02-29T00:00:00Z')).toBe(Date.UTC(2024, 1, 29))
  expect(parseInstantMs('2000-02-29T00:00:00Z')).toBe(Date.UTC(2000, 1, 29))
})

test('a date-time in a body becomes UTC text, and every valid date-time can be stored', () => {
  expect(instant.parse('2026-12-01T10:30:00.500+01:00')).toBe('2026-12-01T09:30:00.500Z')
  expect(instant.parse('2026-12-01T09:30:00.000Z')).toBe('2026-12-01T09:30:00Z')
  assertProperty(
    fc.property(anyMs, ms => toStoredInstant(instant.parse(storedInstant(ms))) === storedInstant(ms)),
  )
  expect(() => toStoredInstant('tomorrow')).toThrow('cannot be parsed')
})
