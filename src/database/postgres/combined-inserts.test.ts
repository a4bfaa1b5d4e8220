import { expect, test } from 'bun:test'
import { dynamicSql, sql } from '../statement.ts'
import { combinedInsert, isPlainInsert } from './combined-inserts.ts'

const insert = sql()('INSERT INTO t (a, b, c, d) VALUES ($one, $two, 1, $one)')

test('rows of a plain insert are combined, each with its own parameters', () => {
  const { text, values } = combinedInsert(insert, [
    [1n, 'a'],
    [2n, null],
    [3n, 'c'],
  ])
  expect(text).toBe('INSERT INTO t (a, b, c, d) VALUES ($1, $2, 1, $1), ($3, $4, 1, $3), ($5, $6, 1, $5)')
  expect(values).toEqual([1n, 'a', 2n, null, 3n, 'c'])
  expect(combinedInsert(insert, [[4n, 'd']]).text).toBe('INSERT INTO t (a, b, c, d) VALUES ($1, $2, 1, $1)')
})

test('an insert that can conflict, returns a row, reads, or was made for one call is not combined', () => {
  const texts = [
    sql()('INSERT INTO t (a) VALUES ($a) ON CONFLICT DO NOTHING'),
    sql()('INSERT INTO t (a) VALUES ($a) RETURNING a'),
    sql()('INSERT INTO t (a) SELECT $a'),
    sql()('UPDATE t SET a = $a'),
    dynamicSql(place => `INSERT INTO t (a) VALUES (${place(1n)})`),
  ]
  expect(texts.filter(isPlainInsert)).toEqual([])
  expect(isPlainInsert(insert)).toBe(true)
})
