import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RejectedLines } from '../../src/cli/import/rejected-lines.ts'
import { withoutTakeBackHint } from '../support/command-line.ts'
import { type ProcessResult, run } from '../support/process.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'

const directory = testFolder()

let count = 0
/** Makes a new directory with these files. `path` returns a path in this directory; `import` imports into its store. */
function newDirectory(files: Readonly<Record<string, string | Uint8Array>>): {
  path(name: string): string
  import(...args: string[]): Promise<ProcessResult>
} {
  const shop = join(directory, `shop-${++count}`)
  const path = (name: string): string => join(shop, name)
  mkdirSync(shop)
  for (const [name, text] of Object.entries(files)) writeFileSync(path(name), text)
  const args = ['import', '--data', path('data')]
  return { path, import: (...more) => run([...args, ...more], { PETSTORE_ADMIN_KEY: ADMIN_KEY }) }
}

const lastLine = ({ errors }: ProcessResult): string =>
  withoutTakeBackHint(errors).trim().split('\n').at(-1) ?? ''

const header = '\ufeff"Name";Category;Quantity\r\n'
const invalid = [';Dogs;1\r\n', 'Max;Cats;\r\n', '"Bo, the\r\nII";"Dogs";x\r\n', '\u{1f415};Dogs;-1']
const [nameless = '', unknownCategory = '', multiline = '', last = ''] = invalid
const pets = `${header}Rex;Dogs;\r\n${nameless}\r\n${unknownCategory}${multiline}Ida;Dogs;3\r\n${last}`

test('the invalid lines are copied byte for byte, and the corrected copy loads exactly the missing pets', async () => {
  const shop = newDirectory({ 'categories.csv': 'name\nDogs\n', 'pets.csv': pets })
  await shop.import('--categories', shop.path('categories.csv'))
  const args = ['--pets', shop.path('pets.csv'), '--keep-going', '--rejects', shop.path('rejects.csv')]
  const first = await shop.import(...args)
  expect([
    first.exitCode,
    first.errors.includes(`The invalid lines are in ${shop.path('rejects.csv')}:`),
  ]).toEqual([1, true])
  expect(readFileSync(shop.path('rejects.csv'), 'utf8')).toBe(header + invalid.join(''))
  const again = await shop.import(...args)
  expect([again.exitCode, again.errors.trim()]).toEqual([
    2,
    `${shop.path('rejects.csv')} exists: --rejects needs a new file.`,
  ])
  const corrected = `${header}Tom;Dogs;1\r\nMax;Dogs;\r\n"Bo, the\r\nII";Dogs;2\r\n\u{1f415};Dogs;1`
  writeFileSync(shop.path('rejects.csv'), corrected)
  expect(lastLine(await shop.import('--pets', shop.path('rejects.csv')))).toBe(
    'Loaded 0 categories and 4 pets.',
  )
  writeFileSync(shop.path('whole.csv'), `${corrected}\r\nRex;Dogs;\r\nIda;Dogs;3`)
  expect(lastLine(await shop.import('--pets', shop.path('whole.csv'), '--skip-existing'))).toBe(
    'Loaded 0 categories and 0 pets; 6 more were left out.',
  )
})

test('the invalid lines of two files are written to two files, and a valid file gets none', async () => {
  const categories = 'name,description\nDogs,x\n,y\n'
  const shop = newDirectory({ 'c.csv': categories, 'p.csv': pets, 'good.csv': 'name\nFish\n' })
  const rejects = ['--keep-going', '--rejects', shop.path('bad.csv')]
  await shop.import('--categories', shop.path('c.csv'), '--pets', shop.path('p.csv'), ...rejects)
  expect(readFileSync(shop.path('bad-categories.csv'), 'utf8')).toBe('name,description\n,y\n')
  expect(readFileSync(shop.path('bad-pets.csv'), 'utf8')).toBe(header + invalid.join(''))
  const good = await shop.import('--categories', shop.path('good.csv'), ...rejects)
  expect([good.exitCode, existsSync(shop.path('bad.csv'))]).toEqual([0, false])
})

test('a line that is refused later is not joined to the last line of the file', () => {
  const lines = new RejectedLines(join(directory, 'joined.csv'))
  for (const text of [',Dogs', 'Rex,Dogs\n', 'Max,Dogs\n']) lines.add({ head: 'name,category\n', text })
  lines.close()
  expect(readFileSync(lines.path, 'utf8')).toBe('name,category\n,Dogs\nRex,Dogs\nMax,Dogs\n')
})

test('an import that fails leaves no file of invalid lines', async () => {
  const broken = new Uint8Array([...Buffer.from('name,category\n,Dogs\nZo'), 0xeb])
  const shop = newDirectory({ 'p.csv': broken })
  const rejects = ['--keep-going', '--rejects', shop.path('bad.csv')]
  const ended = await shop.import('--pets', shop.path('p.csv'), ...rejects)
  expect([ended.exitCode, lastLine(ended)]).toEqual([
    1,
    expect.stringContaining('p.csv:3: the file is not in UTF-8'),
  ])
  expect(readdirSync(shop.path('.')).sort()).toEqual(['data', 'p.csv'])
})

test('invalid combinations of options with --rejects or --resume are refused', async () => {
  const shop = newDirectory({ 'p.csv': pets })
  const cases: [args: string[], says: string][] = [
    [
      ['--pets', 'p.csv', '--rejects', 'r.csv'],
      '--rejects requires --keep-going, which loads the valid lines.',
    ],
    [
      ['--pets', 'p.csv', '--rejects', 'r.csv', '--keep-going', '--dry-run'],
      'A dry run writes no file: specify no --rejects.',
    ],
    ...[
      ...[['--keep-going'], ['--skip-existing'], ['--create-categories'], ['--rejects', 'r.csv']],
      ['--decimal-mark', 'comma'],
    ].map((option): [args: string[], says: string] => [
      ['--resume', '7', ...option],
      'An import resumes as it was started: leave out --keep-going, --skip-existing, --update, --create-categories, --decimal-mark and --rejects.',
    ]),
    ...[['--pets', 'p.csv'], ['--categories', 'p.csv'], ['--dry-run']].map(
      (option): [args: string[], says: string] => [
        ['--resume', '7', ...option],
        '--resume needs no files, because the import has already sent its rows: leave out files and --dry-run.',
      ],
    ),
  ]
  await Promise.all(
    cases.map(async ([args, says]) => {
      const ended = await shop.import(...args)
      expect([args, ended.exitCode, ended.errors.trim()]).toEqual([args, 2, says])
    }),
  )
})
