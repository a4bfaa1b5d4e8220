import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCategories, readPets } from '../../src/catalogue/catalogue-file.ts'
import { catalogueSource } from '../../src/cli/import/catalogue-source.ts'
import { everyItem } from '../support/client.ts'
import { newCopyPlace } from '../support/copy-place.ts'
import { run } from '../support/process.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'

const TIMEOUT_MS = 120_000

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'petstore-spreadsheets-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let count = 0
function newFile(content: string | Uint8Array): string {
  const path = join(directory, `file-${++count}.csv`)
  writeFileSync(path, content)
  return path
}

/** Returns the pets in a file, each as one text, its problems and notices, or why it cannot be read. */
async function petsIn(content: string | Uint8Array): Promise<string[]> {
  const lines: string[] = []
  const notices: string[] = []
  try {
    for await (const entry of readPets(
      catalogueSource(newFile(content)),
      notice => notices.push(notice),
      'EUR',
    )) {
      if ('problem' in entry) lines.push(`${entry.line}: ${entry.problem}`)
      else {
        const { name, category, quantity, hold } = entry.row
        lines.push(`${name}|${category}|${quantity}${hold ? '|hold' : ''}`)
      }
    }
  } catch (error) {
    lines.push(error instanceof Error ? error.message : String(error))
  }
  return [...lines, ...notices].map(line => line.replaceAll(/file-\d+\.csv/g, 'file.csv'))
}

/** Returns a file whose rows differ in one column. */
function table(column: string, values: readonly string[]): string {
  return `name;category;${column}\n${values.map(value => `a;b;${value}`).join('\n')}\n`
}

function utf16(text: string, { isBig = false, hasMark = true } = {}): Uint8Array {
  const bytes = Buffer.from((hasMark ? '\ufeff' : '') + text, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

const readings: Readonly<Record<string, readonly [content: string | Uint8Array, ...lines: string[]]>> = {
  'quotes at the start and the end of names in a file with tabs are part of the names': [
    'name\tcategory\tquantity\n"Lucky\tHunde\t1\nMinka\tKatzen\t1\nSnake 12"\tHunde\t1\nMax\tHunde\t2\n',
    ...['"Lucky|Hunde|1', 'Minka|Katzen|1', 'Snake 12"|Hunde|1', 'Max|Hunde|2'],
  ],
  'a name in quotes keeps its quotes in a file with tabs': [
    'name\tcategory\tquantity\n12" tank snake\tKatzen\t1\n"The Boss"\tHunde\t1\n',
    ...['12" tank snake|Katzen|1', '"The Boss"|Hunde|1'],
  ],
  'a cell that Excel has quoted in a file with tabs loses its quotes': [
    'name\tcategory\n"Rex, the dog"\tDogs\n"12"" snake"\tDogs\n"a\tb"\tDogs\n"two\n\nlines"\tDogs\n',
    ...['Rex, the dog|Dogs|1', '12" snake|Dogs|1', 'a\tb|Dogs|1', 'two\n\nlines|Dogs|1'],
  ],
  'all cells of a file with tabs lose their quotes if its header is in quotes': [
    '"name"\t"category"\n"The Boss"\t"Dogs"\n',
    'The Boss|Dogs|1',
  ],
  'a quote in the middle of a cell, and blanks around a cell in quotes, are read in CSV': [
    'name,category\n12" snake,Dogs\n "Rex, II" , Dogs\n"""Max""",Dogs\n',
    ...['12" snake|Dogs|1', 'Rex, II|Dogs|1', '"Max"|Dogs|1'],
  ],
  'text after a closing quote is a problem of its line only': [
    'name,category\n"Rex" II,Dogs\nMax,Dogs\n',
    '2: has text after a closing quote, in "\\"Rex\\" II": write two quotes for a quote in a cell in quotes',
    'Max|Dogs|1',
  ],
  'rows that a quote has made one row are a problem, not a pet': [
    'name,category\n"Lucky,Dogs\nMinka,Cats\nSnake 12",Dogs\nMax,Dogs\n',
    '2: is one row of 3 lines, and each looks like a row of its own: write two quotes for a quote in a name, in a cell in quotes',
    'Max|Dogs|1',
  ],
  'blank rows and blank columns at the right are left out': [
    '\ufeff;;;;\r\nName;Category;Quantity;Hold;;\r\nRex;Hunde;3;;;\r\n;;;\r\n \u00a0;;;;\r\n',
    'Rex|Hunde|3',
  ],
  'optional cells that Excel leaves out at the end of a row are empty': [
    'name;category;quantity;hold\nRex;Dogs\n',
    'Rex|Dogs|1',
  ],
  'a value beyond the last column is a problem': [
    'name;category;\nRex;Dogs;7\n',
    '2: has 3 cells, but the first line names 2 columns',
  ],
  'a first line with sep= names the delimiter': [
    'sep=;\r\nName;Category\r\nRex, II;Hunde\r\n',
    'Rex, II|Hunde|1',
  ],
  'blanks of every kind around a value are not part of it': [
    'name,category,quantity,hold\n\u00a0Rex\u200b,\u3000Hunde , 5 ,\ufeff no\n',
    'Rex|Hunde|5',
  ],
  'the words of spreadsheets for yes and no are read in several languages': [
    table('hold', 'TRUE Yes x 1 WAHR Ja VRAI sí FALSE No 0 Nein FAUX maybe'.split(' ')),
    ...Array.from({ length: 8 }, () => 'a|b|1|hold'),
    ...Array.from({ length: 5 }, () => 'a|b|1'),
    '15: hold "maybe" must be yes, no or empty',
  ],
  'an error of a spreadsheet is a problem, also in the name, and in German': [
    'name,category,price\n#NAME?,Dogs,\nRex,#N/A,\nMax,Dogs,#WERT!\nTom,#NV,\n#1 Rex,Dogs,\n#Rex!,Dogs,\n',
    '2: name "#NAME?" is an error of the spreadsheet: correct it there',
    '3: category "#N/A" is an error of the spreadsheet: correct it there',
    '4: price "#WERT!" is an error of the spreadsheet: correct it there',
    '5: category "#NV" is an error of the spreadsheet: correct it there',
    ...['#1 Rex|Dogs|1', '#Rex!|Dogs|1'],
  ],
  'quantities are read in every form that has only one meaning': [
    table('quantity', ['5.0', '5,00', '1 000', "12'345", '1,000,000', '1,000', '5,5', '-1']),
    ...['a|b|5', 'a|b|5', 'a|b|1000', 'a|b|12345', 'a|b|1000000'],
    '7: quantity "1,000" may be read in two ways: write it without a separator',
    '8: quantity "5,5" must be an integer from 0 to 1000000000',
    '9: quantity "-1" must be an integer from 0 to 1000000000',
  ],
  'a barcode keeps its zeros, and one that a spreadsheet has shortened is refused': [
    table('barcode', ['0041', '4.00638E+12', '4,00638E+12', 'ä', '1'.repeat(65), 'E+12']),
    'a|b|1',
    '3: barcode "4.00638E+12" has lost digits in a spreadsheet: format its column as text',
    '4: barcode "4,00638E+12" has lost digits in a spreadsheet: format its column as text',
    '5: barcode "ä" must have 1 to 64 printable ASCII characters',
    `6: barcode "${'1'.repeat(65)}" must have 1 to 64 printable ASCII characters`,
    'a|b|1',
  ],
  'other columns are ignored with one notice': [
    'Vendor,Name,,category,reorder\nx,Rex,y,Dogs,7\n',
    'Rex|Dogs|1',
    'file.csv:1: the columns "Vendor", "" (without a name) and "reorder" (did you mean reorderAt?) are ignored; the columns are name, category, quantity, hold, reorderAt, price, barcode',
  ],
  'the rows of a shop system with variants name each wrong line': [
    'name,category,quantity\nRex,Hunde,3\n,,2\nMinka,Katzen,-1\n',
    'Rex|Hunde|3',
    '3: name is empty',
    '4: quantity "-1" must be an integer from 0 to 1000000000',
  ],
  'words for yes are read in both Unicode forms': [
    table('hold', ['s\u00ed', 'si\u0301']),
    'a|b|1|hold',
    'a|b|1|hold',
  ],
  'a column that says in German which pets are on hold is read': [
    'name;category;quantity;Gesperrt\nRex;Hunde;3;ja\n',
    'Rex|Hunde|3|hold',
    'file.csv:1: "Gesperrt" is read as hold',
  ],
  'a quantity has at most ten digits, and is at most a billion': [
    table('quantity', ['1000000000', '1000000001']),
    'a|b|1000000000',
    '3: quantity "1000000001" must be an integer from 0 to 1000000000',
  ],
  'the length of a name is counted in characters, and U+0000 is none': [
    `name,category\n${'\u{1f415}'.repeat(200)},Dogs\nR\0x,Dogs\n`,
    `${'\u{1f415}'.repeat(200)}|Dogs|1`,
    '3: name "R\\u0000x" must not contain the character U+0000',
  ],
  'a quote at the start of the last cell of a file with tabs is part of the name': [
    'name\tcategory\nRex\tDogs\nMax\t"Dogs',
    ...['Rex|Dogs|1', 'Max|"Dogs|1'],
  ],
  'a cell of several lines is one cell after the first hundred lines of a file with tabs too': [
    `name\tcategory\n${'Rex\tDogs\n'.repeat(100)}"two\n\nlines"\tDogs\n`,
    ...Array.from({ length: 100 }, () => 'Rex|Dogs|1'),
    'two\n\nlines|Dogs|1',
  ],
  'an apostrophe before a formula is removed': [
    "name,category\n'=1+1,'-Dogs\n'Tis,''@x\n",
    '=1+1|-Dogs|1',
    "'Tis|'@x|1",
  ],
  'UTF-16 is read in both orders with a mark': [utf16('name\tcategory\r\nZoë\t🐕\r\n'), 'Zoë|🐕|1'],
  'UTF-16 with the high byte first is read': [utf16('name\tcategory\nZoë\tx\n', { isBig: true }), 'Zoë|x|1'],
  'UTF-16 without a mark is read': [utf16('name\tcategory\nZoë\tx\n', { hasMark: false }), 'Zoë|x|1'],
  'UTF-16 without a mark and with the high byte first is read': [
    utf16('name\tcategory\nZoë\tx\n', { hasMark: false, isBig: true }),
    'Zoë|x|1',
  ],
  'an 8-bit encoding is named with both readings of the first cell, and never guessed': [
    Buffer.from('name,category\r\nRex,Dogs\r\nZo\xeb,Dogs\r\n', 'latin1'),
    'file.csv:3: the file is not in UTF-8 (this line has "Zoë" in Windows-1252, "ZoÎ" in Mac Roman): save it as "CSV UTF-8", or with the encoding "Unicode (UTF-8)".',
  ],
  'the line of a file in an 8-bit encoding with the line ends of old Macs is named': [
    Buffer.from('name,category\rRex,Dogs\rZo\x91,Dogs\r', 'latin1'),
    'file.csv:3: the file is not in UTF-8 (this line has "Zo‘" in Windows-1252, "Zoë" in Mac Roman): save it as "CSV UTF-8", or with the encoding "Unicode (UTF-8)".',
  ],
}

for (const [title, [content, ...lines]] of Object.entries(readings)) {
  test(title, async () => {
    expect(await petsIn(content)).toEqual(lines)
  })
}

test('a file of another format is refused with its name and how to save it as CSV', async () => {
  const formats: Readonly<Record<string, string>> = {
    'PK\x03\x04\x14\0\x06\0[Content_Types].xml xl/workbook.xml':
      'a damaged Excel workbook or another Office file: open it in Excel',
    '\xd0\xcf\x11\xe0\xa1\xb1': 'an Excel workbook (XLS, or XLSX with a password): open it in Excel',
    'PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet': 'a LibreOffice spreadsheet (ODS)',
    'PK\x03\x04Index/Document.iwa': 'a Numbers spreadsheet',
    'PK\x03\x04pets.csv': 'a ZIP archive: unpack it first',
    '\x1f\x8b\x08\0': 'compressed with gzip: unpack it first',
    '%PDF-1.7': 'a PDF document',
    '\n<!DOCTYPE html><title>Sign in</title>': 'an HTML page: download the file itself',
  }
  for (const [start, says] of Object.entries(formats)) {
    const [line] = await petsIn(Buffer.from(start, 'latin1'))
    expect(line).toStartWith(`file.csv is ${says}`)
  }
})

test('a description of several lines is read, although its lines look like rows', async () => {
  for (const description of ['Puppies\nkittens, too', 'puppies\nkittens,cats']) {
    const source = catalogueSource(newFile(`name,description\nDogs,"${description}"\n`))
    const found = []
    for await (const entry of readCategories(source, () => {})) found.push('row' in entry && entry.row)
    expect(found).toEqual([{ line: 2n, name: 'Dogs', description }])
  }
})

test('a line far into a file that is not in UTF-8 is named with its number and its whole cell', async () => {
  const rows = 'Rex,Dogs\n'.repeat(1000)
  const parts = [`name,category\n${rows}`, `${rows}Zo`, '\xeb Maria,Dogs\n']
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (const part of parts) yield Buffer.from(part, 'latin1')
  }
  const reading = Array.fromAsync(readPets({ name: 'pets.csv', chunks }, () => {}, 'EUR'))
  await expect(reading).rejects.toThrow(
    'pets.csv:2002: the file is not in UTF-8 (this line has "Zo\u00eb Maria" in Windows-1252',
  )
})

test(
  'an import finds categories and pets in another Unicode form, and a category of a pet in another case',
  async () => {
    await using place = await newStoreDirectory('sqlite')
    await using server = await place.start()
    const client = place.client(server)
    const importPets = (content: string, ...args: string[]) =>
      run(['import', '--pets', newFile(content), '--data', place.directory, ...args], place.env)
    const [composed, decomposed] = ['Caf\u00e9', 'Cafe\u0301']
    const category = newFile(`name\n${composed}\n`)
    await run(['import', '--categories', category, '--data', place.directory], place.env)
    const again = await run(
      ['import', '--categories', newFile(`name\n${decomposed}\n`), '--data', place.directory],
      place.env,
    )
    expect(again.errors).toContain('Loaded 0 categories (1 more already existed)')
    expect((await importPets(`name,category\nZo\u00eb,${composed}\n`)).exitCode).toBe(0)
    const skipped = await importPets(
      `name,category\nZoe\u0308,${decomposed}\nZo\u00eb,CAFE\u0301\nZOE\u0308,cafe\u0301\nMax\u0301,${decomposed}\n`,
      '--skip-existing',
    )
    expect(skipped.errors).toContain(`found without regard to case: "CAFE\u0301" as "${composed}"`)
    expect(skipped.errors).toContain('Loaded 0 categories and 2 pets; 2 more were left out.')
    const names = []
    for await (const { name } of everyItem(client.listPets, { limit: 100 })) names.push(name)
    expect(names).toEqual(['Zo\u00eb', 'ZOE\u0308', 'Max\u0301'])
    await client.createCategory({ body: { name: 'CAF\u00c9' } })
    const several = await importPets(`name,category\nTom,caf\u00e9\n`)
    expect(several.errors).toContain('there are several categories "caf\u00e9" in the store: rename one')
    const exact = await importPets(`name,category\nTom,CAFE\u0301\n`)
    expect(exact.errors).toContain('Loaded 0 categories and 1 pet.')
    await server.kill('SIGTERM')
  },
  TIMEOUT_MS,
)

test(
  'missing categories are reported with a similar name, and --create-categories creates each of them once',
  async () => {
    await using place = await newStoreDirectory('sqlite')
    const categories = newFile('name\nFerrets\n')
    const pets = newFile('name,category\nRex,Ferets\nIda,Cats\nTom,cats\nMax,Dogs\n')
    const files = ['import', '--categories', categories, '--pets', pets]
    const args = [...files, '--data', place.directory]
    const refused = await run(args, place.env)
    expect(refused.errors).toContain(':2: there is no category "Ferets": did you mean "Ferrets"?')
    expect(refused.errors).toContain(
      '3 categories are missing: with --create-categories, the import creates them.',
    )
    for (const more of [['--dry-run'], []]) {
      const { exitCode, errors } = await run([...args, '--create-categories', ...more], place.env)
      expect([exitCode, errors]).toEqual([0, expect.stringMatching(/load(ed)? 4 categories and 4 pets\./i)])
      expect(errors).toContain('new categories, which are created: "Ferets", "Cats", "Dogs"\n')
    }
    await using server = await place.start()
    const { data } = await place.client(server).listCategories({ limit: 100 })
    expect(data.items.map(({ name }) => name).sort()).toEqual(['Cats', 'Dogs', 'Ferets', 'Ferrets'])
    await server.kill('SIGTERM')
  },
  TIMEOUT_MS,
)

test('the rejected lines of a file in UTF-16 are written in UTF-8, with the mark and the line sep=', async () => {
  using target = await newCopyPlace('sqlite')
  const content = 'sep=;\r\nname;category\r\nZoë;Dogs\r\nMax;Cats\r\n"a\r\nb";Nö\r\n'
  const rejects = join(directory, 'rejects.csv')
  const categories = newFile('name\nDogs\n')
  const { errors } = await run(
    [
      ...['import', '--categories', categories, '--pets', newFile(utf16(content)), '--keep-going'],
      ...['--rejects', rejects, '--data', target.directory],
    ],
    { PETSTORE_ADMIN_KEY: ADMIN_KEY },
  )
  expect(errors).toContain('Loaded 1 category and 1 pet.')
  expect(readFileSync(join(directory, 'rejects-pets.csv'), 'utf8')).toBe(
    '\ufeffsep=;\r\nname;category\r\nMax;Cats\r\n"a\r\nb";Nö\r\n',
  )
})
