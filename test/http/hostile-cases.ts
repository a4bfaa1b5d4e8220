import type { Operation } from '../../src/contract/operation.ts'
import { contract } from '../../src/shop/registry/operations.ts'
import { type HostileCase, httpCase } from '../support/hostile-request.ts'
import { bodyCases } from './hostile-body-cases.ts'
import { queryCases } from './hostile-query-cases.ts'
import { wireCases } from './hostile-wire-cases.ts'

const BODY = '{"name":"a"}'
const NO_TOKEN = 'Bearer realm="petstore"'
const BAD_TOKEN = 'Bearer realm="petstore", error="invalid_token"'
const BAD_PARAMETER = '400 invalid_parameter:'
const PET_PATH = `${BAD_PARAMETER} petId type_mismatch`

/** Returns a POST of a category with this value of one header field. If the value is null, the field is absent. */
function withField(name: string, field: string, value: string | null, expected: string): HostileCase {
  return httpCase(name, 'POST /categories', expected, { requestHeaders: { [field]: value }, body: BODY })
}

const negotiation: readonly HostileCase[] = [
  withField('Accept of HTML', 'Accept', 'text/html', '406 not_acceptable'),
  withField('Accept that gives JSON the weight 0', 'Accept', 'application/json;q=0', '406 not_acceptable'),
  withField(
    'Accept of everything except JSON',
    'Accept',
    '*/*, application/json;q=0.0',
    '406 not_acceptable',
  ),
  withField('Accept of another JSON type', 'Accept', 'application/jsonp, text/*', '406 not_acceptable'),
  withField('Content-Type of plain text', 'Content-Type', 'text/plain', '415 unsupported_media_type'),
  withField(
    'Content-Type of a form',
    'Content-Type',
    'application/x-www-form-urlencoded',
    '415 unsupported_media_type',
  ),
  withField('no Content-Type', 'Content-Type', null, '415 unsupported_media_type'),
  withField('Content-Type of JSON lines', 'Content-Type', 'application/jsonl', '415 unsupported_media_type'),
  withField(
    'a merge patch in a POST',
    'Content-Type',
    'application/merge-patch+json',
    '415 unsupported_media_type',
  ),
  withField(
    'JSON in Latin-1',
    'Content-Type',
    'application/json; charset=latin1',
    '415 unsupported_media_type',
  ),
  withField(
    'JSON in UTF-16',
    'Content-Type',
    'application/json;charset="utf-16"',
    '415 unsupported_media_type',
  ),
  withField('Content-Encoding gzip', 'Content-Encoding', 'gzip', '415 unsupported_media_type'),
  withField('two Content-Encodings', 'Content-Encoding', 'identity, br', '415 unsupported_media_type'),
  withField('an empty Idempotency-Key', 'Idempotency-Key', '', '400 idempotency_key_invalid'),
  withField('an Idempotency-Key of empty quotes', 'Idempotency-Key', '""', '400 idempotency_key_invalid'),
  withField(
    'an Idempotency-Key of 256 characters',
    'Idempotency-Key',
    'k'.repeat(256),
    '400 idempotency_key_invalid',
  ),
  withField(
    'a quoted Idempotency-Key of 256 characters',
    'Idempotency-Key',
    `"${'k'.repeat(256)}"`,
    '400 idempotency_key_invalid',
  ),
  ...[
    '"k" x',
    '"k";',
    '"k";P=1',
    '"k";p=',
    '"k";p="',
    '"k"p=1',
    '"k";p=1,"l"',
    '"k";p=%"%GG"',
    '"k";p=%"x',
  ].map(value =>
    withField(`the Idempotency-Key ${value}`, 'Idempotency-Key', value, '400 idempotency_key_invalid'),
  ),
  withField('a tab in an Idempotency-Key', 'Idempotency-Key', '"a\tb"', '400 idempotency_key_invalid'),
  withField(
    'an Idempotency-Key with a byte above ASCII',
    'Idempotency-Key',
    'caf\xe9',
    '400 idempotency_key_invalid',
  ),
  withField(
    'an Idempotency-Key without its closing quote',
    'Idempotency-Key',
    '"abc',
    '400 idempotency_key_invalid',
  ),
  withField(
    'an Idempotency-Key without its opening quote',
    'Idempotency-Key',
    'abc"',
    '400 idempotency_key_invalid',
  ),
  withField(
    'two Idempotency-Keys',
    'Idempotency-Key',
    'one\r\nIdempotency-Key: two',
    '400 idempotency_key_invalid',
  ),
  httpCase(
    'an Idempotency-Key for an operation that returns a secret',
    'POST /keys',
    '400 idempotency_key_refused',
    {
      requestHeaders: { 'Idempotency-Key': '"k"' },
      body: '{"name":"till","scopes":["orders:read"]}',
    },
  ),
  httpCase(
    'an experimental operation without its preview header',
    'GET /store/summary',
    '400 preview_required: Petstore-Preview required',
  ),
]

const conditions = [
  ['a bare word', 'abc', `${BAD_PARAMETER} If-Match invalid_format`],
  ['a tag without its last quote', '"abc', `${BAD_PARAMETER} If-Match invalid_format`],
  ['a list with a bare word', '"abc", def', `${BAD_PARAMETER} If-Match invalid_format`],
  ['a star in a list', '*, "abc"', `${BAD_PARAMETER} If-Match invalid_format`],
  ['a lower-case w/', 'w/"abc"', `${BAD_PARAMETER} If-Match invalid_format`],
  ['nothing', '', '412 precondition_failed'],
  ['another tag', '"abc"', '412 precondition_failed'],
].map(([name, value = '', expected = '']) =>
  httpCase(`If-Match of ${name}`, 'PATCH /pets/1', expected, {
    requestHeaders: { 'If-Match': value },
    body: '{"name":"Other"}',
  }),
)

const credentials: readonly HostileCase[] = (
  [
    ['no Authorization', null, '401 authentication_required', NO_TOKEN],
    ['Authorization Basic', 'Basic YWRtaW46YWRtaW4=', '401 authentication_required', NO_TOKEN],
    [
      'Authorization with 15,000 blanks around a letter, and a byte that only some patterns treat as a blank',
      `Bearer${' '.repeat(7500)}x${' '.repeat(7500)}\xa0`,
      '401 invalid_token',
      BAD_TOKEN,
    ],
    [
      'Authorization with a token of 15,000 letters',
      `Bearer ${'a'.repeat(15_000)}`,
      '401 invalid_token',
      BAD_TOKEN,
    ],
    ['Bearer without a token', 'Bearer', '401 authentication_required', NO_TOKEN],
    ['Bearer and garbage', 'Bearer garbage', '401 invalid_token', BAD_TOKEN],
    ['a key with a wrong checksum', `Bearer pst_${'0'.repeat(49)}`, '401 invalid_token', BAD_TOKEN],
    ['a well-formed key that was never issued', 'Bearer {strange}', '401 invalid_token', BAD_TOKEN],
    ['two tokens', 'Bearer {key} {key}', '401 invalid_token', BAD_TOKEN],
    ['two tokens in a list', 'Bearer {key}, Bearer {key}', '401 invalid_token', BAD_TOKEN],
    [
      'two Authorization fields',
      'Bearer {key}\r\nAuthorization: Bearer {key}',
      '401 invalid_token',
      BAD_TOKEN,
    ],
    [
      'a good key, then a bad one',
      'Bearer {key}\r\nAuthorization: Bearer bad',
      '401 invalid_token',
      BAD_TOKEN,
    ],
    ['a key in quotes', 'Bearer "{key}"', '401 invalid_token', BAD_TOKEN],
    ['a key without its last character', 'Bearer {cut}', '401 invalid_token', BAD_TOKEN],
  ] as const
).map(([name, value, expected, challenge]) =>
  httpCase(name, 'GET /store/orders', expected, {
    requestHeaders: { Authorization: value },
    responseHeaders: { 'www-authenticate': challenge },
  }),
)

const operationsByPath = Map.groupBy(Object.values<Operation>(contract), ({ path }) => path)

/** Paths with a method that they do not allow, and the methods that they allow: all of the contract, and others. */
const allowByPath: readonly (readonly [path: string, method: string, allow: string])[] = [
  ...[...operationsByPath].map(([path, operations]) => {
    const methods = operations.map(({ method }): string => method)
    const wrong = ['PUT', 'DELETE', 'PATCH'].find(method => !methods.includes(method)) ?? 'POST'
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
    return [path, wrong, allowed.sort().join(', ')] as const
  }),
  ['/imports/{importId}/slices', 'HEAD', 'OPTIONS, POST'],
  ['/', 'POST', 'GET, HEAD, OPTIONS'],
  ['/openapi.json', 'PUT', 'GET, HEAD, OPTIONS'],
  ['/livez', 'POST', 'GET, HEAD, OPTIONS'],
  ['/readyz', 'DELETE', 'GET, HEAD, OPTIONS'],
  ['/metrics', 'PATCH', 'GET, HEAD, OPTIONS'],
]

const wrongMethods = allowByPath.map(([path, method, allow]) =>
  httpCase(
    `${method} of ${path}`,
    `${method} ${path.replaceAll(/\{\w+\}/g, '1')}`,
    method === 'HEAD' ? '405' : '405 method_not_allowed',
    {
      responseHeaders: { allow },
    },
  ),
)

const paths: readonly HostileCase[] = [
  ...[
    '/pets/',
    '/pets/1/',
    '/store/inventory/',
    '//',
    '//pets',
    '/pets//1',
    '/store//orders',
    '/store',
    '/Pets',
    '/pets%2F1',
    '/pets;a=b',
    '/pets.json',
    '/.env',
  ].map(path => httpCase(`the path ${path}`, `GET ${path}`, '404 route_not_found', { contains: path })),
  // The router of the runtime sees the dots, but the URL that it passes on does not contain them.
  httpCase('a path with dots', 'GET /store/../pets', '404 route_not_found', {
    contains: 'has the path /pets.',
  }),
  ...[
    '/pets/1%2F2',
    '/pets/%00',
    '/pets/1%00',
    '/pets/%zz',
    '/pets/%',
    '/pets/%ff',
    '/pets/1%0a',
    '/pets/%201',
    '/pets/01',
    '/pets/+1',
    '/pets/1.0',
    '/pets/1e3',
    '/pets/-0',
    '/pets/-01',
    '/pets/0x1',
    '/pets/1n',
    '/pets/abc',
    '/pets/9223372036854775808',
    '/pets/-9223372036854775809',
    '/pets/18446744073709551617',
    '/pets/%EF%BC%91',
    '/pets/1,2',
    `/pets/${'9'.repeat(1000)}`,
  ].map(path => httpCase(`the id in ${path.slice(0, 40)}`, `GET ${path}`, PET_PATH)),
  httpCase('an error code with U+0000', 'GET /errors/%00', `${BAD_PARAMETER} code invalid_format`),
  httpCase('an error code that is not UTF-8', 'GET /errors/%ff', `${BAD_PARAMETER} code invalid_format`),
  httpCase('the error code __proto__', 'GET /errors/__proto__', '404 error_not_found'),
  httpCase('the error code constructor', 'GET /errors/constructor', '404 error_not_found'),
  ...['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'].flatMap(id => [
    httpCase(`an absent pet ${id}`, `GET /pets/${id}`, '404 pet_not_found', { contains: `Pet ${id} ` }),
    httpCase(`an absent category ${id}`, `DELETE /categories/${id}`, '404 category_not_found', {
      contains: `${id} `,
    }),
    httpCase(`an absent order ${id}`, `GET /store/orders/${id}`, '404 order_not_found', {
      contains: `Order ${id} `,
    }),
    httpCase(
      `the stock of an absent pet ${id}`,
      `GET /store/inventory/${id}`,
      '404 inventory_item_not_found',
      {
        contains: `${id}.`,
      },
    ),
  ]),
]

export const hostileCases: readonly HostileCase[] = [
  ...wireCases,
  ...bodyCases,
  ...negotiation,
  ...conditions,
  ...credentials,
  ...wrongMethods,
  ...paths,
  ...queryCases,
]
