import { expect, test } from 'bun:test'
import type { ReservedSQL } from 'bun'
import { sql } from '../statement.ts'
import { PostgresWriter } from './writer.ts'

const insertA = sql()('INSERT INTO a (id) VALUES ($id)')
const insertB = sql()('INSERT INTO b (id) VALUES ($id)')
const change = sql()('UPDATE a SET id = $id')
const read = sql()('SELECT id FROM a')

/** Returns a writer on a connection that answers each statement with `answer`, and the statements that were sent. */
function openWriter(answer: (text: string) => Promise<unknown> = async () => []) {
  const sent: string[] = []
  const unsafe = (text: string, values: readonly unknown[]): Promise<unknown> => {
    sent.push(`${text.slice(0, 13)}: ${values.length}`)
    return answer(text)
  }
  // Safe: the writer only calls `unsafe`.
  return { writer: new PostgresWriter({ unsafe } as unknown as ReservedSQL), sent }
}

test('rows of one statement are sent together, before the next statement that is not an insert', async () => {
  const { writer, sent } = openWriter()
  for (const id of [1n, 2n]) {
    writer.write(insertA, { id })
    writer.write(insertB, { id })
  }
  expect(sent).toEqual([])
  await writer.one(read)
  writer.write(insertA, { id: 3n })
  await writer.many(read)
  writer.write(insertA, { id: 4n })
  await writer.run(change, { id: 5n })
  writer.write(insertB, { id: 6n })
  writer.write(change, { id: 7n })
  await writer.written()
  const inserts = [
    'INSERT INTO a: 2',
    'INSERT INTO b: 2',
    'SELECT id FRO: 0',
    'INSERT INTO a: 1',
    'SELECT id FRO: 0',
  ]
  const rest = ['INSERT INTO a: 1', 'UPDATE a SET : 1', 'INSERT INTO b: 1', 'UPDATE a SET : 1']
  expect(sent).toEqual([...inserts, ...rest])
})

test('many rows are sent in few sizes, and the first of them early', async () => {
  const { writer, sent } = openWriter()
  for (let id = 0n; id < 70n; id++) writer.write(insertA, { id })
  expect(sent).toEqual(['INSERT INTO a: 64'])
  await writer.written()
  expect(sent.slice(1)).toEqual(['INSERT INTO a: 4', 'INSERT INTO a: 2'])
})

test('the end of the writes throws the error of the first write that failed', async () => {
  const { writer } = openWriter(async text => {
    throw new Error(text)
  })
  writer.write(insertA, { id: 1n })
  writer.write(insertB, { id: 1n })
  expect(String(await writer.written().catch(String))).toContain('INSERT INTO a')
})

test('after a statement that failed, rows that wait are not sent: their errors would hide its own', async () => {
  const { writer, sent } = openWriter(async text => {
    if (text.startsWith('SELECT')) throw new Error('the conflict')
    return []
  })
  writer.write(insertA, { id: 1n })
  const read1 = writer.one(read)
  writer.write(insertB, { id: 1n })
  expect(String(await read1.catch(String))).toContain('the conflict')
  await writer.sent()
  expect(sent).toEqual(['INSERT INTO a: 1', 'SELECT id FRO: 0'])
})
