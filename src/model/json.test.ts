import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { StoreError } from './error.ts'
import { JSON_DEPTH_MAX, readJson, readJsonText, writeJson } from './json.ts'

const RUNS = 1000
const SEED = 20_261_121

const wellFormed = fc.string({ unit: 'binary' })

/** Any value that a text can hold here; fractions alone are numbers, integers are bigints. */
const { value: anyValue } = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false),
    wellFormed,
    fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }),
    fc.double({ noDefaultInfinity: true, noNaN: true }).filter(number => /[.e]/.test(String(number))),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(wellFormed, fc.constantFrom('__proto__', 'constructor')), tie('value'), {
      maxKeys: 4,
      noNullPrototype: false,
    }),
  ),
}))

function refusal(read: () => unknown): string {
  try {
    return `read as ${writeJson(read())}`
  } catch (error) {
    if (error instanceof StoreError) return error.code
    throw error
  }
}

function hold<Ts>(property: fc.IProperty<Ts>): void {
  fc.assert(property, { numRuns: RUNS, seed: SEED })
}

test('what is written is read back as it was', () => {
  hold(fc.property(anyValue, value => expect<unknown>(readJsonText(writeJson(value))).toEqual(value)))
  hold(
    fc.property(anyValue, value => {
      const text = writeJson(value)
      return writeJson(readJsonText(text)) === text && writeJson(readJson(Buffer.from(text))) === text
    }),
  )
})

test('what the runtime writes is read, spaced out or not, as the runtime reads it', () => {
  hold(
    fc.property(
      fc.jsonValue({ noUnicodeString: false }),
      fc.constantFrom('', ' ', '\t', '\r\n'),
      (value, space) => {
        const text = JSON.stringify(value)
        const read = writeJson(readJsonText(space + JSON.stringify(value, null, space) + space))
        expect(JSON.parse(read)).toEqual(JSON.parse(text))
      },
    ),
  )
})

test('no text is read that the runtime would refuse', () => {
  const nearlyJson = fc.string({ unit: fc.constantFrom(...'{}[]:,"\\u0019-+.eE tfn/\ufeff') })
  const runtimeReads = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  hold(
    fc.property(
      nearlyJson,
      text => runtimeReads(text) || refusal(() => readJsonText(text)) === 'malformed_json',
    ),
  )
})

test('integers are exact, and only numbers without fraction and exponent are integers', () => {
  hold(
    fc.property(
      fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }),
      value => readJsonText(`${value}`) === value,
    ),
  )
  expect(['-0', '0', '9007199254740993', '-9223372036854775808'].map(readJsonText)).toEqual([
    0n,
    0n,
    9007199254740993n,
    -9223372036854775808n,
  ])
  expect(['1.0', '1e3', '1E-2', '-0.0', '1e400'].map(readJsonText)).toEqual([1, 1000, 0.01, -0, Infinity])
})

test('an integer of very many digits stays far outside int64', () => {
  const digits = 500_000
  for (const sign of ['', '-']) {
    const value = readJsonText(`${sign}${'9'.repeat(digits)}`)
    expect(typeof value === 'bigint' && (value > 2n ** 64n || value < -(2n ** 64n))).toBe(true)
  }
})

test('members named like those of every object are members like any', () => {
  const text = '{"__proto__":{"a":1},"constructor":2,"toString":3}'
  const value = readJsonText(text)
  expect(writeJson(value)).toBe(text)
  expect(Reflect.get(Object(value), 'a')).toBeUndefined()
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('a member given twice is refused, in escapes and deep inside as well', () => {
  const texts = [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '[{"b":{"":1,"":2}}]',
    '{"__proto__":1,"__proto__":1}',
  ]
  expect(texts.map(text => refusal(() => readJsonText(text)))).toEqual(texts.map(() => 'malformed_json'))
  expect(writeJson(readJsonText('{"a":{"a":1},"A":2}'))).toBe('{"a":{"a":1},"A":2}')
})

test('lone surrogates are refused, pairs are read', () => {
  const lone = ['"\\ud800"', '"\\udc00"', '"\\ude00\\ud83d"', '{"\\ud800":1}', '"\ud800"', '"a\udc00b"']
  expect(lone.map(text => refusal(() => readJsonText(text)))).toEqual(lone.map(() => 'malformed_json'))
  expect(readJsonText('"\\ud83d\\ude00"')).toBe('😀')
})

test('bytes that are not UTF-8, and a byte order mark, are refused', () => {
  const bytes = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf4, 0x90, 0x80, 0x80]]
  for (const inner of bytes) {
    expect(refusal(() => readJson(Uint8Array.of(0x22, ...inner, 0x22)))).toBe('malformed_json')
  }
  expect(refusal(() => readJson(Buffer.from('\ufeff1')))).toBe('malformed_json')
  expect(readJson(Buffer.from('"\ufeff"'))).toBe('\ufeff')
})

test('32 levels are read and 33 are refused, whatever stands innermost', () => {
  const arrays = (levels: number, inner: string): string => '['.repeat(levels) + inner + ']'.repeat(levels)
  const objects = (levels: number): string => '{"a":'.repeat(levels) + 1 + '}'.repeat(levels)
  expect(writeJson(readJsonText(arrays(JSON_DEPTH_MAX, '1')))).toBe(arrays(JSON_DEPTH_MAX, '1'))
  expect(writeJson(readJsonText(objects(JSON_DEPTH_MAX)))).toBe(objects(JSON_DEPTH_MAX))
  for (const text of [
    arrays(33, '1'),
    arrays(33, ''),
    arrays(32, '{}'),
    objects(33),
    '['.repeat(1_000_000),
  ]) {
    expect(refusal(() => readJsonText(text))).toBe('malformed_json')
  }
})

test('what JSON has no word for is not written', () => {
  expect(writeJson({ a: undefined, b: [1n, null] })).toBe('{"b":[1,null]}')
  for (const value of [Number.NaN, Infinity, undefined, () => 1])
    expect(() => writeJson(value)).toThrow('JSON has no')
})
