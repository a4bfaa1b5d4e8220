import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { Reader } from './engine.ts'
import { dynamicSql, type ParametersOf, type Statement, sql, type Value, valuesOf } from './statement.ts'

const COLUMNS = 'id, name'
const ROWS_MAX = 1_000

const findPets = sql<{ id: bigint }>()(
  `SELECT ${COLUMNS} FROM pet WHERE name = $name AND status=$status,$name LIMIT ${ROWS_MAX}`,
)

test('a statement is declared with numbers in place of its names, and a repeated name has one number', () => {
  expect(findPets.text).toBe('SELECT id, name FROM pet WHERE name = $1 AND status=$2,$1 LIMIT 1000')
  expect(findPets.names).toEqual(['name', 'status'])
})

test('a name ends where no letter or digit follows, so a shorter name is not found in a longer one', () => {
  const { text, names } = sql()('SELECT ($a), $ab, $a1\n, $a::text')
  expect(text).toBe('SELECT ($1), $2, $3\n, $1::text')
  expect(names).toEqual(['a', 'ab', 'a1'])
})

test('a statement is marked as a write unless it starts with SELECT', () => {
  expect(sql()('\n  SELECT 1').writes).toBe(false)
  expect(sql()('DELETE FROM pet RETURNING id').writes).toBe(true)
  expect(dynamicSql(place => `SELECT ${place(1n)}`).writes).toBe(false)
  expect(dynamicSql(place => `DELETE FROM pet WHERE id = ${place(1n)}`).writes).toBe(true)
})

for (const text of [
  'SELECT $1',
  `SELECT '$'`,
  'SELECT $$name$$',
  'SELECT $PetId',
  'SELECT $pet_id',
] as const) {
  test(`a "$" without a name in camelCase is refused: ${text}`, () => {
    expect(() => sql()(text)).toThrow('is not a parameter in camelCase')
  })
}

test('values are bound in the order of the parameter numbers, whatever the order of the members of the object', () => {
  expect(valuesOf(findPets, [{ status: 'sold', name: 'Rex' }])).toEqual(['Rex', 'sold'])
  expect(valuesOf(sql()('SELECT $a'), [{ a: null }])).toEqual([null])
  expect(valuesOf(sql()('SELECT 1'), [])).toEqual([])
})

test('a value that is missing at run time is an error, and never NULL', () => {
  // Safe: the wrong type is the test; a spread can hide it from the compiler.
  const incomplete = { name: 'Rex' } as { name: string; status: string }
  expect(() => valuesOf(findPets, [incomplete])).toThrow('the parameter status has no value')
  expect(() => valuesOf(findPets, [])).toThrow('the parameter name has no value')
})

test('a dynamic statement has its values in the order of its place() calls, on SQLite and on PostgreSQL', () => {
  const statement = dynamicSql(place => {
    const [name, status] = [place('Rex'), place('sold')]
    return [`SELECT ${name}, ${status}`, `SELECT ${status}, ${name}, ${status}`]
  })
  expect(statement.text).toBe('SELECT $1, $2')
  expect(statement.postgresText).toBe('SELECT $2, $1, $2')
  expect(valuesOf(statement, [])).toEqual(['Rex', 'sold'])
})

/** A reader of a SQLite database in memory. It represents all readers, because they have the same types. */
class DirectReader implements Reader {
  readonly #database = new Database(':memory:', { safeIntegers: true })

  one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Row | undefined {
    return this.many(statement, ...parameters)[0]
  }

  many<Row, Name extends string>(statement: Statement<Row, Name>, ...parameters: ParametersOf<Name>): Row[] {
    const prepared = this.#database.query<Row, Value[]>(statement.text.replaceAll('$', '?'))
    return prepared.all(...valuesOf(statement, parameters))
  }
}

const echo = sql<{ a: bigint; b: string }>()('SELECT $b AS b, $a AS a')
const one = sql<{ one: bigint }>()('SELECT 1 AS one')

test('a call with the right parameter names compiles', async () => {
  const reader: Reader = new DirectReader()
  const [a, b] = [1n, 'text']
  expect(await reader.one(echo, { a, b })).toEqual({ a, b })
  expect(await reader.one(one)).toEqual({ one: 1n })
  expect(await reader.many(dynamicSql<{ a: bigint }>(place => `SELECT ${place(a)} AS a`))).toEqual([{ a }])
})

/** A function that never runs: its lines only have to fail to compile. */
export async function wrongCalls(reader: Reader, text: string): Promise<void> {
  const [a, b] = [1n, 'text']
  // @ts-expect-error: a missing name
  await reader.one(echo, { a })
  // @ts-expect-error: a misspelt name
  await reader.one(echo, { a, bb: b })
  // @ts-expect-error: an extra name
  await reader.many(echo, { a, b, c: 1n })
  // @ts-expect-error: no value
  await reader.one(echo, { a, b: undefined })
  // @ts-expect-error: not the value of a column
  await reader.one(echo, { a, b: 1 })
  // @ts-expect-error: no parameters at all
  await reader.one(echo)
  // @ts-expect-error: positional values
  await reader.one(echo, b, a)
  // @ts-expect-error: a statement without parameters takes none
  await reader.one(one, { a })
  const dynamic = dynamicSql(place => `SELECT ${place(a)}`)
  // @ts-expect-error: a dynamic statement has its values
  await reader.one(dynamic, { a })
  // @ts-expect-error: a text that the compiler does not know
  await reader.one(sql()(text))
  // @ts-expect-error: a text with a part that the compiler does not know
  await reader.one(sql()(`SELECT $a FROM ${text}`), { a })
}
