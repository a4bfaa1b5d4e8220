import { type HostileCase, type HttpCaseOptions, httpCase } from '../support/hostile-request.ts'

type Row = readonly [name: string, body: string | Uint8Array, expected: string, more?: HttpCaseOptions]

const INVALID = '422 validation_failed:'

/** Returns a case for each row: a request with this request line and the body of the row. */
function sent(line: string, rows: readonly Row[]): HostileCase[] {
  return rows.map(([name, body, expected, more = {}]) => httpCase(name, line, expected, { ...more, body }))
}

function bytes(...values: number[]): Uint8Array {
  return Uint8Array.from(values)
}

/** Returns a body `{"name":"..."}` whose name consists of these bytes, which are not valid UTF-8. */
function withNameBytes(...values: number[]): Uint8Array {
  return Buffer.concat([Buffer.from('{"name":"'), bytes(...values), Buffer.from('"}')])
}

/** Bodies that the JSON parser refuses. */
const malformed = sent(
  'POST /categories',
  (
    [
      ['an empty body', ''],
      ['only blanks', ' \t\r\n '],
      ['two values', '{"name":"a"}{"name":"b"}'],
      ['a value followed by a word', '{"name":"a"} true'],
      ['a number with a leading zero', '{"name":01}'],
      ['a negative number with a leading zero', '{"name":-01}'],
      ['a number with a plus', '{"name":+1}'],
      ['NaN', '{"name":NaN}'],
      ['Infinity', '{"name":-Infinity}'],
      ['a number in hex', '{"name":0x1f}'],
      ['a number without digits before its decimal point', '{"name":.5}'],
      ['a number without digits after its decimal point', '{"name":5.}'],
      ['an exponent without digits', '{"name":1e}'],
      ['a single minus', '{"name":-}'],
      ['undefined', '{"name":undefined}'],
      ['true in upper case', '{"name":TRUE}'],
      ['a trailing comma in an object', '{"name":"a",}'],
      ['a trailing comma in an array', '{"name":["a",]}'],
      ['two commas', '{"name":"a",,"description":"b"}'],
      ['a single comma', '{,}'],
      ['no colon', '{"name" "a"}'],
      ['no value', '{"name":}'],
      ['a member name without quotes', '{name:"a"}'],
      ['single quotes', "{'name':'a'}"],
      ['a line comment', '{"name":"a"} // a cat'],
      ['a block comment', '{/* a cat */"name":"a"}'],
      ['an object that does not end', '{"name":"a"'],
      ['an array that does not end', '{"name":["a"'],
      ['a string that does not end', '{"name":"a'],
      ['the wrong closing bracket', '{"name":["a"}]'],
      ['a tab in a string', '{"name":"a\tb"}'],
      ['a line feed in a string', '{"name":"a\nb"}'],
      ['a raw U+0000 in a string', '{"name":"a\0b"}'],
      ['an escape that JSON does not have', '{"name":"\\x41"}'],
      ['an escape with three hex digits', '{"name":"\\u041"}'],
      ['an escape in braces', '{"name":"\\u{41}"}'],
      ['a no-break space between tokens', '{\u00a0"name":"a"}'],
      ['a form feed between tokens', '{\f"name":"a"}'],
      ['a duplicate member', '{"name":"a","name":"a"}'],
      ['a duplicate member with an escape in one name', '{"name":"a","n\\u0061me":"b"}'],
      ['a duplicate member, deeply nested', '{"name":[{"a":1,"a":2}]}'],
      ['a duplicate __proto__', '{"__proto__":1,"__proto__":2}'],
      ['a single escaped high surrogate', '{"name":"\\ud800"}'],
      ['a single escaped low surrogate', '{"name":"\\udc00"}'],
      ['an escaped surrogate pair in the wrong order', '{"name":"\\ude00\\ud83d"}'],
      ['a lone surrogate in a member name', '{"\\ud800":"a"}'],
      ['a surrogate as three raw bytes', withNameBytes(0xed, 0xa0, 0x80)],
      ['a surrogate pair as six raw bytes', withNameBytes(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80)],
      ['a byte that never occurs in UTF-8', withNameBytes(0xff)],
      ['a truncated UTF-8 character', withNameBytes(0xe2, 0x82)],
      ['a stray continuation byte', withNameBytes(0x80)],
      ['an overlong slash', withNameBytes(0xc0, 0xaf)],
      ['an overlong U+0000', withNameBytes(0xc0, 0x80)],
      ['a code point above U+10FFFF', withNameBytes(0xf4, 0x90, 0x80, 0x80)],
      ['Latin-1', withNameBytes(0xe9)],
      ['a byte order mark', Buffer.from('\ufeff{"name":"a"}')],
      ['UTF-16', Buffer.from('\ufeff{"name":"a"}', 'utf16le')],
      ['33 levels of arrays', '['.repeat(33) + ']'.repeat(33)],
      ['33 levels in a member', `{"name":${'['.repeat(32)}1${']'.repeat(32)}}`],
      ['100,000 levels of arrays', '['.repeat(100_000) + ']'.repeat(100_000), { withinMs: 2000 }],
      ['100,000 levels of objects', '{"a":'.repeat(100_000), { withinMs: 2000 }],
    ] as const
  ).map(([name, body, more = {}]) => [name, body, '400 malformed_json', more]),
)

const wrongShapes = sent('POST /categories', [
  ['32 levels of arrays', '['.repeat(32) + ']'.repeat(32), `${INVALID}  type_mismatch`],
  ['a body that is null', 'null', `${INVALID}  type_mismatch`],
  ['a body that is a string', '"name"', `${INVALID}  type_mismatch`],
  ['a body that is an array', '[{"name":"a"}]', `${INVALID}  type_mismatch`],
  ['a body without members', '{}', `${INVALID} /name required`],
  ['an unknown member', '{"name":"a","colour":"red"}', `${INVALID} /colour unknown_field`],
  [
    'an unknown member with a slash and a tilde',
    '{"name":"a","a/b~c":1}',
    `${INVALID} /a~1b~0c unknown_field`,
  ],
  ['an unknown member without a name', '{"name":"a","":1}', `${INVALID} / unknown_field`],
  ['the member __proto__', '{"name":"a","__proto__":{"x":1}}', `${INVALID} /__proto__ unknown_field`],
  [
    'the member __proto__, escaped',
    '{"name":"a","__pr\\u006fto__":1}',
    `${INVALID} /__proto__ unknown_field`,
  ],
  ['the member constructor', '{"name":"a","constructor":{}}', `${INVALID} /constructor unknown_field`],
  [
    'the member hasOwnProperty',
    '{"name":"a","hasOwnProperty":1}',
    `${INVALID} /hasOwnProperty unknown_field`,
  ],
  ['an id for the category to create', '{"name":"a","id":1}', `${INVALID} /id read_only`],
  ['a name that is null', '{"name":null}', `${INVALID} /name type_mismatch`],
  ['a name that is a number', '{"name":5}', `${INVALID} /name type_mismatch`],
  ['a name that is an object', '{"name":{"__proto__":"a"}}', `${INVALID} /name type_mismatch`],
  [
    'two invalid members',
    '{"name":"","description":5}',
    `${INVALID} /name too_short, /description type_mismatch`,
  ],
  [
    '101 unknown members',
    `{"name":"a"${Array.from({ length: 101 }, (_, index) => `,"m${index}":1`).join('')}}`,
    `${INVALID} ${Array.from({ length: 100 }, (_, index) => `/m${index} unknown_field`).join(', ')}`,
  ],
])

/** Invalid values of `categoryId`. Category 1 exists, so 1.0 would be accepted if the store read it as 1. */
const wrongCategoryIds = (
  [
    ['with a fraction of zero', '1.0', 'type_mismatch'],
    ['with an exponent', '1e3', 'type_mismatch'],
    ['with an exponent of zero', '1E0', 'type_mismatch'],
    ['beyond the range of floating point', '1e400', 'type_mismatch'],
    ['with a fraction', '1.5', 'type_mismatch'],
    ['in quotes', '"12"', 'type_mismatch'],
    ['of 2^63', '9223372036854775808', 'out_of_range'],
    ['of -2^63 - 1', '-9223372036854775809', 'out_of_range'],
    ['of 2^64 + 1', '18446744073709551617', 'out_of_range'],
    ['that is true', 'true', 'type_mismatch'],
    ['that is null', 'null', 'type_mismatch'],
    ['that is an array', '[1]', 'type_mismatch'],
    ['that is an object', '{}', 'type_mismatch'],
    ['of 500,000 digits', '1'.repeat(500_000), 'out_of_range', { withinMs: 1000 }],
    ['of 500,000 digits after a minus', `-${'1'.repeat(500_000)}`, 'out_of_range', { withinMs: 1000 }],
    ['with 500,000 digits of fraction', `1.${'1'.repeat(500_000)}`, 'type_mismatch', { withinMs: 1000 }],
  ] as const
).flatMap(([name, number, code, more = {}]) =>
  sent('POST /pets', [
    [`a categoryId ${name}`, `{"name":"a","categoryId":${number}}`, `${INVALID} /categoryId ${code}`, more],
  ]),
)

/** Bodies of pets, orders and stocks. Pet 1, pet 2 and order 1 exist. */
const resourceBodies: readonly HostileCase[] = [
  ...sent('POST /pets', [
    [
      'a categoryId of -0',
      '{"name":"a","categoryId":-0}',
      '422 unknown_reference',
      { contains: 'Category 0 ' },
    ],
    [
      'a categoryId of 2^63 - 1',
      '{"name":"a","categoryId":9223372036854775807}',
      '422 unknown_reference',
      { contains: 'Category 9223372036854775807 ' },
    ],
    [
      'a categoryId of -2^63',
      '{"name":"a","categoryId":-9223372036854775808}',
      '422 unknown_reference',
      { contains: 'Category -9223372036854775808 ' },
    ],
    ['no categoryId', '{"name":"a"}', `${INVALID} /categoryId required`],
    ['an id for the pet to create', '{"name":"a","categoryId":1,"id":7}', `${INVALID} /id read_only`],
    [
      'a status in upper case',
      '{"name":"a","categoryId":1,"status":"Sold"}',
      `${INVALID} /status not_in_enum`,
    ],
    ['a status that is null', '{"name":"a","categoryId":1,"status":null}', `${INVALID} /status not_in_enum`],
    ['a status of 1e400', '{"name":"a","categoryId":1,"status":1e400}', `${INVALID} /status not_in_enum`],
  ]),
  ...sent('PATCH /pets/1', [
    ['another id in a patch', '{"id":2}', `${INVALID} /id read_only`],
    ['a patch that is an array', '[{"op":"remove","path":"/name"}]', `${INVALID}  type_mismatch`],
    ['a patch that removes the name', '{"name":null}', `${INVALID} /name type_mismatch`],
  ]),
  ...sent('PATCH /store/orders/1', [
    ['another petId in a patch', '{"petId":2}', `${INVALID} /petId read_only`],
    ['a patch of complete to a string', '{"complete":"true"}', `${INVALID} /complete type_mismatch`],
    ['a patch of complete to null', '{"complete":null}', `${INVALID} /complete type_mismatch`],
  ]),
  ...sent('POST /store/orders', [
    ['an order of 0 units', '{"petId":1,"quantity":0}', `${INVALID} /quantity out_of_range`],
    ['an order of 1,000,001 units', '{"petId":1,"quantity":1000001}', `${INVALID} /quantity out_of_range`],
    ['an order of half a pet', '{"petId":1,"quantity":0.5}', `${INVALID} /quantity type_mismatch`],
    [
      'an order of a pet that does not exist',
      '{"petId":-5}',
      '422 unknown_reference',
      { contains: 'Pet -5 ' },
    ],
    ['an id for the order to create', '{"petId":1,"id":7}', `${INVALID} /id read_only`],
    ['a shipDate in words', '{"petId":1,"shipDate":"tomorrow"}', `${INVALID} /shipDate invalid_format`],
    [
      'a shipDate on February 30',
      '{"petId":1,"shipDate":"2026-02-30T00:00:00Z"}',
      `${INVALID} /shipDate invalid_format`,
    ],
    [
      'a shipDate that is a number',
      '{"petId":1,"shipDate":1795132800}',
      `${INVALID} /shipDate type_mismatch`,
    ],
  ]),
  ...sent('PUT /store/inventory/2', [
    ['a stock of -1', '{"quantity":-1}', `${INVALID} /quantity out_of_range`],
    ['a stock of 1,000,000,001', '{"quantity":1000000001}', `${INVALID} /quantity out_of_range`],
    ['a stock of null', '{"quantity":null}', `${INVALID} /quantity type_mismatch`],
    ['a stock of -0, which is 0', '{"quantity":-0}', '200', { contains: '"quantity":0,' }],
  ]),
  ...sent('POST /store/inventory/1/adjustments', [
    ['an adjustment by 0', '{"quantityChange":0}', `${INVALID} /quantityChange out_of_range`],
    ['an adjustment by -0', '{"quantityChange":-0}', `${INVALID} /quantityChange out_of_range`],
    [
      'an adjustment that would make the stock negative',
      '{"quantityChange":-1000000000}',
      '409 stock_below_reserved',
    ],
    ['an adjustment beyond the bounds', '{"quantityChange":1000000000}', '409 stock_out_of_bounds'],
  ]),
]

const refusedTexts = sent('POST /categories', [
  ['an escaped U+0000', '{"name":"a\\u0000b"}', `${INVALID} /name invalid_format`],
  ['an empty name', '{"name":""}', `${INVALID} /name too_short`],
  ['a name of 201 letters', `{"name":"${'n'.repeat(201)}"}`, `${INVALID} /name too_long`],
  [
    'a name of 201 code points outside the BMP',
    `{"name":"${'😀'.repeat(201)}"}`,
    `${INVALID} /name too_long`,
  ],
  [
    'a description of 2,001 letters',
    `{"name":"a","description":"${'d'.repeat(2001)}"}`,
    `${INVALID} /description too_long`,
  ],
])

/** Names that are stored code point for code point, and returned unchanged. */
const keptTexts = [
  ['200 letters', 'n'.repeat(200)],
  ['200 code points outside the BMP', '😀'.repeat(200)],
  ['a combining accent', 'Cafe\u0301'],
  ['a composed accented letter', 'Caf\u00e9'],
  ['199 combining marks', `a${'\u0301'.repeat(199)}`],
  ['text from right to left', 'خروف \u202eabc\u202c שלום'],
  ['a family of emoji joined by ZWJ', '👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽'],
  ['a ligature that NFKC decomposes', 'ﬁsh ﷺ'],
  ['blanks at both ends', '  a  '],
  ['invisible and unassigned code points', '\ufeff\u200b\u2028\uffff\u{10ffff}\u{e0001}'],
  ['control characters and quotes', '\u0001\t\n\u007f"\\/'],
  ['text that looks like SQL', "'; DROP TABLE category; -- %_\\"],
  ['text that looks like HTML', '<script>alert(1)</script>&amp;'],
].map(([name = '', text = '']) =>
  httpCase(`a name with ${name}`, 'POST /categories', '201', {
    body: JSON.stringify({ name: text }),
    createdName: text,
  }),
)

export const bodyCases: readonly HostileCase[] = [
  ...malformed,
  ...wrongShapes,
  ...wrongCategoryIds,
  ...resourceBodies,
  ...refusedTexts,
  ...keptTexts,
]
