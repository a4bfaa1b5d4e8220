import { type HostileCase, httpCase } from '../support/hostile-request.ts'

/** A target, and the invalid parameters that the response names. */
type Row = readonly [target: string, errors: string]

function refused(rows: readonly Row[]): HostileCase[] {
  return rows.map(([target, errors]) => {
    const name = target.length > 80 ? `${target.slice(0, 60)}... (${target.length} characters)` : target
    return httpCase(name, `GET ${target}`, `400 invalid_parameter: ${errors}`)
  })
}

/** Returns a query that repeats a parameter: `id=0&id=1&id=2`. */
function repeated(count: number, name: string): string {
  return Array.from({ length: count }, (_, index) => `${name}=${index}`).join('&')
}

const pages = refused([
  ['/pets?limit=0', 'limit out_of_range'],
  ['/pets?limit=101', 'limit out_of_range'],
  ['/pets?limit=-1', 'limit out_of_range'],
  ['/pets?limit=9223372036854775807', 'limit out_of_range'],
  ['/pets?limit=99999999999999999999', 'limit type_mismatch'],
  ['/pets?limit=abc', 'limit type_mismatch'],
  ['/pets?limit=1.0', 'limit type_mismatch'],
  ['/pets?limit=1e1', 'limit type_mismatch'],
  ['/pets?limit=05', 'limit type_mismatch'],
  ['/pets?limit=0x5', 'limit type_mismatch'],
  ['/pets?limit=+5', 'limit type_mismatch'],
  ['/pets?limit=%2B5', 'limit type_mismatch'],
  ['/pets?limit=5%00', 'limit type_mismatch'],
  ['/pets?limit=', 'limit type_mismatch'],
  ['/pets?limit', 'limit type_mismatch'],
  ['/pets?limit=5&limit=5', 'limit duplicate'],
  ['/pets?limit=5&l%69mit=5', 'limit duplicate'],
  [`/pets?cursor=${'c'.repeat(2049)}`, 'cursor too_long'],
])

const filters = refused([
  ['/pets?sort=evil', 'sort not_in_enum'],
  ['/pets?sort=ID', 'sort not_in_enum'],
  ['/pets?sort=', 'sort not_in_enum'],
  ['/pets?sort=id;DROP%20TABLE%20pet', 'sort not_in_enum'],
  ['/pets?sort=__proto__', 'sort not_in_enum'],
  ['/pets?sort=id&sort=id', 'sort duplicate'],
  ['/pets?include=price', 'include not_in_enum'],
  ['/pets?include=stock&include=stock', 'include duplicate'],
  ['/pets?status=Sold', 'status not_in_enum'],
  ['/pets?status=', 'status not_in_enum'],
  ['/pets?status=sold,pending', 'status not_in_enum'],
  ['/pets?status=sold&status=sold&status=sold&status=sold', 'status too_many'],
  ['/pets?id=', 'id type_mismatch'],
  ['/pets?id=01', 'id type_mismatch'],
  ['/pets?id=1,2', 'id type_mismatch'],
  ['/pets?id=1%20OR%201=1', 'id type_mismatch'],
  ['/pets?id=9223372036854775808', 'id type_mismatch'],
  [`/pets?${repeated(101, 'id')}`, 'id too_many'],
  [`/pets?${repeated(21, 'categoryId')}`, 'categoryId too_many'],
  [`/store/inventory?${repeated(101, 'petId')}`, 'petId too_many'],
  [`/store/orders?${repeated(21, 'petId')}`, 'petId too_many'],
  ['/pets?name=', 'name too_short'],
  [`/pets?name=${'n'.repeat(201)}`, 'name too_long'],
  ['/pets?name=a%00b', 'name invalid_format'],
  ['/pets?name=a&name=b', 'name duplicate'],
  ['/pets?name=%', 'name invalid_format'],
  ['/pets?name=%zz', 'name invalid_format'],
  ['/pets?name=%ff', 'name invalid_format'],
  ['/pets?name=%ed%a0%80', 'name invalid_format'],
  ['/pets?name=%c0%af', 'name invalid_format'],
  ['/store/inventory?quantityAtMost=-1', 'quantityAtMost out_of_range'],
  ['/store/inventory?quantityAtMost=1000000001', 'quantityAtMost out_of_range'],
  ['/store/orders?reference=', 'reference too_short'],
  [`/store/orders?reference=${'r'.repeat(201)}`, 'reference too_long'],
  ['/store/orders?reference=a%00b', 'reference invalid_format'],
  ['/store/orders?reference=a&reference=b', 'reference duplicate'],
  ['/store/orders?complete=TRUE', 'complete type_mismatch'],
  ['/store/orders?complete=1', 'complete type_mismatch'],
  ['/store/orders?complete', 'complete type_mismatch'],
  ['/pets?limit=0&sort=evil&status=Sold', 'limit out_of_range, sort not_in_enum, status not_in_enum'],
])

const unknown = [
  ['/pets?colour=red', 'colour'],
  ['/pets?Limit=5', 'Limit'],
  ['/pets?limit[]=5', 'limit[]'],
  ['/pets?__proto__=1', '__proto__'],
  ['/pets?constructor=1', 'constructor'],
  ['/pets/1?id=1', 'id'],
  ['/pets?=1', ''],
].map(([target = '', name]) =>
  httpCase(`the parameter of ${target}`, `GET ${target}`, `400 unknown_parameter: ${name} unknown_field`),
)

const instants = [
  'tomorrow',
  '',
  '1795132800',
  '2026-12-01',
  '2026-12-01T00:00:00',
  '2026-12-01T00:00Z',
  '2026-12-01T00:00:00.Z',
  '2026-12-01T00:00:00%2B0000',
  '2026-12-01T00:00:00%2B24:00',
  '2026-12-01T00:00:00%2B01:60',
  '2026-12-01%2000:00:00Z',
  '2026-12-01T24:00:00Z',
  '2026-12-01T00:60:00Z',
  '2016-12-31T23:59:60Z',
  '2026-02-30T00:00:00Z',
  '2023-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-12-00T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00%2B00:01',
  '9999-12-31T23:59:59-00:01',
  '10000-01-01T00:00:00Z',
  '-2026-12-01T00:00:00Z',
  '2026-12-01T00:00:00Z%0a',
  '2026-12-01T00:00:00Z%00',
].map(text =>
  httpCase(
    `shipDateAfter of ${text === '' ? 'nothing' : text}`,
    `GET /store/orders?shipDateAfter=${text}`,
    '400 invalid_parameter: shipDateAfter invalid_format',
  ),
)

const accepted = [
  '/store/orders?shipDateAfter=0001-01-01T00:00:00Z',
  '/store/orders?shipDateAfter=2026-12-01T00:00:00+02:00',
  '/store/orders?shipDateAfter=2024-02-29t23:59:59.123456789z',
  '/store/orders?shipDateBefore=9999-12-31T23:59:59.999%2B23:59',
  `/pets?${repeated(100, 'id')}`,
  `/pets?${repeated(20, 'categoryId')}`,
  '/pets?&&limit=100&',
].map(target => httpCase(`valid and at the limit: ${target.slice(0, 80)}`, `GET ${target}`, '200'))

/** Invalid cursors. The test replaces a name in braces with a real, a truncated or a forged cursor. */
const cursors = [
  ['that is garbage', '/pets?cursor=garbage'],
  ['that is not base64url', '/pets?cursor=!!!!'],
  ['of JSON in the wrong shape', '/pets?cursor=e30'],
  ['that is truncated', '/pets?cursor={cutCursor}'],
  ['of another list', '/pets?cursor={categoriesCursor}'],
  ['used with another filter', '/pets?cursor={petsCursor}&status=sold'],
  ['used with another sort', '/pets?cursor={petsCursor}&sort=-id'],
  ['whose id is 2^63', '/pets?cursor={idBeyondInt64}'],
  ['whose sort key is a number where names are sorted', '/pets?sort=name&cursor={numberForName}'],
  ['whose sort key contains U+0000', '/pets?sort=name&cursor={nameWithNul}'],
  [
    'whose sort key is a name where quantities are sorted',
    '/store/inventory?sort=quantity&cursor={nameForNumber}',
  ],
  ['whose sort key is 2^63', '/store/inventory?sort=quantity&cursor={quantityBeyondInt64}'],
  ['with a character after it', '/pets?cursor={petsCursor}!'],
].map(([name, target]) => httpCase(`a cursor ${name}`, `GET ${target}`, '400 invalid_cursor'))

export const queryCases: readonly HostileCase[] = [
  ...pages,
  ...filters,
  ...unknown,
  ...instants,
  ...accepted,
  ...cursors,
]
