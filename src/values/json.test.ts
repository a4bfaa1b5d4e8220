import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { StoreError } from '../contract/error.ts'
import { readJson } from '../contract/json-body.ts'
import { JSON_DEPTH_MAX, JsonSyntaxError, parseJson, writeJson } from './json.ts'

const RUNS = 1000
const SEED = 20_261_121

const wellFormed = fc.string({ unit: 'binary' })

/** Any value that a JSON text can contain. Integers are bigints; all other numbers are JavaScript numbers. */
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
    return `parsed as ${writeJson(read())}`
  } catch (error) {
    if (error instanceof StoreError) return error.code
    if (error instanceof JsonSyntaxError) return 'not JSON'
    throw error
  }
}

function assertProperty<Ts>(property: fc.IProperty<Ts>): void {
  fc.assert(property, { numRuns: RUNS, seed: SEED })
}

test('written JSON is parsed back to the same value', () => {
  assertProperty(fc.property(anyValue, value => expect<unknown>(parseJson(writeJson(value))).toEqual(value)))
  assertProperty(
    fc.property(anyValue, value => {
      const text = writeJson(value)
      return writeJson(parseJson(text)) === text && writeJson(readJson(Buffer.from(text))) === text
    }),
  )
})

test('JSON that the runtime writes is parsed as the runtime parses it, with or without whitespace', () => {
  assertProperty(
    fc.property(
      fc.jsonValue({ noUnicodeString: false }),
      fc.constantFrom('', ' ', '\t', '\r\n'),
      (value, space) => {
        const text = JSON.stringify(value)
        const read = writeJson(parseJson(space + JSON.stringify(value, null, space) + space))
        expect(JSON.parse(read)).toEqual(JSON.parse(text))
      },
    ),
  )
})

test('parseJson rejects every text that JSON.parse rejects', () => {
  const nearlyJson = fc.string({ unit: fc.constantFrom(...'{}[]:,"\\u0019-+.eE tfn/\ufeff') })
  const runtimeReads = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  assertProperty(
    fc.property(nearlyJson, text => runtimeReads(text) || refusal(() => parseJson(text)) === 'not JSON'),
  )
})

test('integers are exact, and a number with a fraction or an exponent is not an integer', () => {
  assertProperty(
    fc.property(fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }), value => parseJson(`${value}`) === value),
  )
  expect(['-0', '0', '9007199254740993', '-9223372036854775808'].map(text => parseJson(text))).toEqual([
    0n,
    0n,
    9007199254740993n,
    -9223372036854775808n,
  ])
  expect(['1.0', '1e3', '1E-2', '-0.0'].map(text => parseJson(text))).toEqual([1, 1000, 0.01, -0])
})

test('a number beyond the range of floating point becomes one that can be written again', () => {
  for (const [text, value] of [
    ['1e400', Number.MAX_VALUE],
    ['-1.5E+999', -Number.MAX_VALUE],
    ['1e-400', 0],
  ] as const)
    expect([text, parseJson(text), writeJson(parseJson(text))]).toEqual([text, value, String(value)])
})

test('an integer with very many digits stays far outside int64', () => {
  const digits = 500_000
  for (const sign of ['', '-']) {
    const value = parseJson(`${sign}${'9'.repeat(digits)}`)
    expect(typeof value === 'bigint' && (value > 2n ** 64n || value < -(2n ** 64n))).toBe(true)
  }
})

test('members named like those of Object.prototype are ordinary members', () => {
  const text = '{"__proto__":{"a":1},"constructor":2,"toString":3}'
  const value = parseJson(text)
  expect(writeJson(value)).toBe(text)
  expect(Reflect.get(Object(value), 'a')).toBeUndefined()
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('an object that is parsed with a prototype has exactly the members of the text', () => {
  const text = '{"__proto__":{"a":1},"constructor":2}'
  const value = parseJson(text, Object.prototype)
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(Object.keys(Object(value))).toEqual(['__proto__', 'constructor'])
  expect(writeJson(value)).toBe(text)
})

test('a duplicate member is rejected, even if it is escaped or nested', () => {
  const texts = [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '[{"b":{"":1,"":2}}]',
    '{"__proto__":1,"__proto__":1}',
  ]
  expect(texts.map(text => refusal(() => parseJson(text)))).toEqual(texts.map(() => 'not JSON'))
  expect(writeJson(parseJson('{"a":{"a":1},"A":2}'))).toBe('{"a":{"a":1},"A":2}')
})

test('lone surrogates are rejected, pairs are accepted', () => {
  const lone = ['"\\ud800"', '"\\udc00"', '"\\ude00\\ud83d"', '{"\\ud800":1}', '"\ud800"', '"a\udc00b"']
  expect(lone.map(text => refusal(() => parseJson(text)))).toEqual(lone.map(() => 'not JSON'))
  expect(parseJson('"\\ud83d\\ude00"')).toBe('😀')
})

test('bytes that are not UTF-8, and a byte order mark, are rejected', () => {
  const bytes = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf4, 0x90, 0x80, 0x80]]
  for (const inner of bytes) {
    expect(refusal(() => readJson(Uint8Array.of(0x22, ...inner, 0x22)))).toBe('malformed_json')
  }
  expect(refusal(() => readJson(Buffer.from('\ufeff1')))).toBe('malformed_json')
  expect(readJson(Buffer.from('"\ufeff"'))).toBe('\ufeff')
})

test('JSON with 32 levels is accepted and with 33 is rejected, whatever the innermost value is', () => {
  const arrays = (levels: number, inner: string): string => '['.repeat(levels) + inner + ']'.repeat(levels)
  const objects = (levels: number): string => '{"a":'.repeat(levels) + 1 + '}'.repeat(levels)
  expect(writeJson(parseJson(arrays(JSON_DEPTH_MAX, '1')))).toBe(arrays(JSON_DEPTH_MAX, '1'))
  expect(writeJson(parseJson(objects(JSON_DEPTH_MAX)))).toBe(objects(JSON_DEPTH_MAX))
  for (const text of [
    arrays(33, '1'),
    arrays(33, ''),
    arrays(32, '{}'),
    objects(33),
    '['.repeat(1_000_000),
  ]) {
    expect(refusal(() => parseJson(text))).toBe('not JSON')
  }
})

test('values that JSON cannot represent are not written', () => {
  expect(writeJson({ a: undefined, b: [1n, null] })).toBe('{"b":[1,null]}')
  for (const value of [Number.NaN, Infinity, undefined, () => 1])
    expect(() => writeJson(value)).toThrow('JSON cannot represent')
})
