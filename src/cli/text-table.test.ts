import { expect, test } from 'bun:test'
import { alignedLines } from './text-table.ts'

test('columns are aligned by their width in a terminal, in which some characters are two columns wide', () => {
  const rows = [
    ['ID', 'NAME', 'EXPIRES'],
    ['1', '\u72ac\u306e\u5e97', 'never'],
    ['23', 'till 1', ''],
  ]
  expect(alignedLines(rows)).toEqual(['ID  NAME    EXPIRES', '1   \u72ac\u306e\u5e97  never', '23  till 1'])
})
