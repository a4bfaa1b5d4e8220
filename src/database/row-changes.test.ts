import { expect, test } from 'bun:test'
import { RowChangeRecorder } from './row-changes.ts'
import { dynamicSql, sql } from './statement.ts'

const updatePet = sql()('UPDATE pet SET name = $name WHERE id = $petId')
const holdPets = sql<{ id: bigint }>()(
  'UPDATE pet SET on_hold = 1 WHERE category_id = $categoryId RETURNING id',
)
const holdSome = sql()(
  'UPDATE pet SET on_hold = 1 WHERE id = $petId AND quantity > 0 OR category_id = $categoryId',
)
const insertPet = sql()('INSERT INTO pet (id, name) VALUES ($newId, $name)')
const updateOrder = sql()('UPDATE orders SET complete = 1 WHERE id = $orderId')

/** Returns what was recorded, as text in the order of the tables. */
function taken(recorder: RowChangeRecorder): string[] {
  return [...recorder.take()]
    .map(([table, ids]) => `${table}: ${ids === 'any' ? ids : [...ids].join(' ')}`)
    .sort()
}

test('the written rows are those that RETURNING reports, or the row that the parameter names', () => {
  const recorder = new RowChangeRecorder(['pet', 'category'])
  recorder.record(updatePet, [{ name: 'Tom', petId: 3n }])
  recorder.record(insertPet, [{ name: 'Max', newId: 8n }])
  recorder.record(holdPets, [{ categoryId: 9n }], [{ id: 4n }, { id: 5n }])
  expect(taken(recorder)).toEqual(['pet: 3 8 4 5'])
})

test('rows of tables that are not watched are not recorded', () => {
  const recorder = new RowChangeRecorder(['pet'])
  recorder.record(updateOrder, [{ orderId: 1n }])
  expect(taken(recorder)).toEqual([])
})

test('a statement that names no row may have written any row of its table, and one without a table any row', () => {
  const recorder = new RowChangeRecorder(['pet', 'category'])
  recorder.record(updatePet, [{ name: 'Tom', petId: 3n }])
  recorder.record(
    dynamicSql(() => 'UPDATE pet SET on_hold = 0'),
    [],
  )
  expect(taken(recorder)).toEqual(['pet: any'])
  recorder.record(holdSome, [{ petId: 3n, categoryId: 9n }])
  expect(taken(recorder)).toEqual(['pet: any'])
  recorder.record(
    dynamicSql(() => 'WITH gone AS (SELECT 1) DELETE FROM pet'),
    [],
  )
  expect(taken(recorder)).toEqual(['category: any', 'pet: any'])
})

test('up to a thousand rows of a table are recorded one by one', () => {
  const recorder = new RowChangeRecorder(['pet'])
  const write = (count: number): void => {
    for (let id = 1; id <= count; id++) recorder.record(updatePet, [{ name: 'Tom', petId: BigInt(id) }])
  }
  write(1000)
  expect(taken(recorder)[0]).toStartWith('pet: 1 2 3')
  write(1001)
  expect(taken(recorder)).toEqual(['pet: any'])
})

test('each change is returned once', () => {
  const recorder = new RowChangeRecorder(['pet'])
  recorder.record(updatePet, [{ name: 'Tom', petId: 3n }])
  expect(taken(recorder)).toEqual(['pet: 3'])
  recorder.record(updatePet, [{ name: 'Tom', petId: 4n }])
  expect(taken(recorder)).toEqual(['pet: 4'])
})
