import { expect, test } from 'bun:test'
import { csvLine } from './csv.ts'

test('a value of a CSV is in quotes if it has a comma, a quote, a line feed or a carriage return', () => {
  expect(csvLine(['a', 'a,b', 'a"b', 'a\nb', 'a\rb', undefined, null, 1n, ['x']])).toBe(
    'a,"a,b","a""b","a\nb","a\rb",,,1,"[""x""]"\n',
  )
})
