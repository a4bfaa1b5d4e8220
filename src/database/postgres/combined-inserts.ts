import type { Statement, Value } from '../statement.ts'

/** The maximum number of rows that one statement inserts; a power of two. */
export const ROWS_PER_INSERT_MAX = 64

/** An INSERT of one row that does nothing else: its head, and its list of values. */
const PLAIN_INSERT = /^(\s*INSERT INTO \w+ \([^()]*\)\s*VALUES )(\([^()]*\))\s*$/

/** A plain INSERT, split into its parts, with the texts for several rows. */
interface PlainInsert {
  readonly head: string
  readonly row: string
  readonly texts: Map<number, string>
}

const plainInserts = new WeakMap<Statement<unknown, string>, PlainInsert | 'other'>()

/** Returns whether rows of a statement can be inserted together: whether it does nothing but insert one row. */
export function isPlainInsert(statement: Statement<unknown, string>): boolean {
  return plainInsert(statement) !== 'other'
}

/** Returns the statement that inserts all rows, each with its values in the order of the names of a plain INSERT. */
export function combinedInsert(
  statement: Statement<unknown, string>,
  rows: readonly Value[][],
): Statement<unknown> {
  const parts = plainInsert(statement)
  if (parts === 'other')
    throw new Error(`rows of this statement cannot be inserted together: ${statement.text}`)
  let text = parts.texts.get(rows.length)
  if (text === undefined) {
    text = textOf(parts, statement.names.length, rows.length)
    parts.texts.set(rows.length, text)
  }
  return { text, names: [], values: rows.flat(), writes: true }
}

function plainInsert(statement: Statement<unknown, string>): PlainInsert | 'other' {
  let parts = plainInserts.get(statement)
  if (parts === undefined) {
    const [, head, row] = statement.values === undefined ? (PLAIN_INSERT.exec(statement.text) ?? []) : []
    parts = head === undefined || row === undefined ? 'other' : { head, row, texts: new Map() }
    plainInserts.set(statement, parts)
  }
  return parts
}

function textOf({ head, row }: PlainInsert, values: number, rows: number): string {
  const places = Array.from({ length: rows }, (_, index) =>
    row.replaceAll(/\$(\d+)/g, (_place, number: string) => `$${Number(number) + index * values}`),
  )
  return head + places.join(', ')
}
