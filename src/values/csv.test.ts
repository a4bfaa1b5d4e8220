import { expect, test } from 'bun:test'
import { csvLine, excelText } from './csv.ts'

test('a value of a CSV is in quotes if it has a comma, a quote, a line feed or a carriage return', () => {
  expect(csvLine(['a', 'a,b', 'a"b', 'a\nb', 'a\rb', undefined, null, 1n, ['x']])).toBe(
    'a,"a,b","a""b","a\nb","a\rb",,,1,"[""x""]"\n',
  )
})

test('a text that Excel would take for a number, a date or a truth value is kept as a text', () => {
  const kept = [
    '0041',
    '2E5',
    '3/10',
    '1.10',
    '5 %',
    '10:30 pm',
    'Mar 2',
    '4000821657280123456',
    'TRUE',
    '1"',
  ]
  for (const text of kept) expect(csvLine([excelText(text)])).toBe(`"=""${text.replace('"', '""""')}"""\n`)
  for (const text of ['R-0053', 'Rex', 'AB12', "'=1+1", '']) expect(excelText(text)).toBe(text)
})
