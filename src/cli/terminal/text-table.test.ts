import { expect, test } from 'bun:test'
import { alignedLines } from './text-table.ts'

test('table columns are aligned by display width, even if some characters have double width', () => {
  const rows = [
    ['ID', 'NAME', 'EXPIRES'],
    ['1', '\u72ac\u306e\u5e97', 'never'],
    ['23', 'till 1', ''],
  ]
  expect(alignedLines(rows)).toEqual(['ID  NAME    EXPIRES', '1   \u72ac\u306e\u5e97  never', '23  till 1'])
})
