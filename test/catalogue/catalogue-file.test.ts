import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FileColumn, readPets } from '../../src/catalogue/catalogue-file.ts'
import { UnclearColumns } from '../../src/catalogue/file-text.ts'
import { catalogueSource } from '../../src/cli/import/catalogue-source.ts'
import type { ImportedPet } from '../../src/shop/imports/schema.ts'

const MIB = 1024 * 1024
/** The size of each hostile file. It is far above READ_MAX_MIB, so that a parser without a limit is detected. */
const FILE_MIB = 24
/** How much of a hostile file may be read before the file is refused. */
const READ_MAX_MIB = 8

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'petstore-catalogue-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

interface Reading {
  readonly rows: readonly ImportedPet[]
  readonly problems: readonly string[]
  readonly notices: readonly string[]
  readonly failure: string | undefined
  readonly bytes: number
}

async function read(text: string | Uint8Array): Promise<Reading> {
  const file = join(directory, 'pets.csv')
  writeFileSync(file, text)
  const problems: string[] = []
  const notices: string[] = []
  const rows: ImportedPet[] = []
  let bytes = 0
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of catalogueSource(file).chunks()) {
      bytes += chunk.length
      yield chunk
    }
  }
  try {
    for await (const entry of readPets({ name: 'pets.csv', chunks }, notice => notices.push(notice), 'EUR')) {
      if ('problem' in entry) problems.push(`${entry.line}: ${entry.problem}`)
      else rows.push(entry.row)
    }
  } catch (error) {
    return { rows, problems, notices, bytes, failure: error instanceof Error ? error.message : String(error) }
  }
  return { rows, problems, notices, bytes, failure: undefined }
}

const header = 'name,category\n'
const good = `${header}Rex,Dogs\n`

describe('a file that would take all memory is refused with the number of the line:', () => {
  const cases = [
    {
      name: 'one long cell',
      text: 'x'.repeat(FILE_MIB * MIB),
      says: 'pets.csv:3: the line has more than 65536',
    },
    {
      name: 'a quote that is never closed',
      text: `"${'x,y\n'.repeat((FILE_MIB * MIB) / 4)}`,
      says: 'pets.csv:3: the record that starts here has more than 65536 characters: is a quote not closed?',
    },
    {
      name: 'a line of millions of cells',
      text: ','.repeat(FILE_MIB * MIB),
      says: 'pets.csv:3: the line has more',
    },
  ]
  for (const { name, text, says } of cases) {
    test(`${name} is refused with the number of its line`, async () => {
      const { failure, bytes } = await read(good + text)
      expect(failure).toContain(says)
      expect(bytes).toBeLessThan(READ_MAX_MIB * MIB)
    }, 60_000)
  }
})

test('a message quotes only the beginning of a long cell, and no control characters', async () => {
  const { problems } = await read(
    `${header}${'y'.repeat(5000)},Dogs\n\u001b[2J\u0085\u202e${'z'.repeat(300)},Dogs\n`,
  )
  expect(problems).toEqual([
    `2: name "${'y'.repeat(100)}" (the first 100 characters) must have 1 to 200 characters`,
    `3: name "\\u001b[2J\\u0085\\u202e${'z'.repeat(94)}" (the first 100 characters) must have 1 to 200 characters`,
  ])
})

test('lines are counted correctly, with every kind of line end and with records of several lines', async () => {
  for (const newline of ['\n', '\r\n', '\r']) {
    const lines = ['name,category', '"Rex', 'the second",Dogs', 'x'.repeat(70_000)]
    const { failure } = await read(lines.join(newline))
    expect(failure).toBe('pets.csv:4: the line has more than 65536 characters')
  }
})

test('a record of many lines that is within the limit is read', async () => {
  const { rows, failure } = await read(`${header}"Rex${'\n'.repeat(100)}",Dogs\nAda,Cats\n`)
  expect([rows.length, failure]).toEqual([2, undefined])
})

test('the columns of a file can have names in any case', async () => {
  const { rows, problems, failure } = await read('Name,CATEGORY, Hold\nRex,Dogs,yes\nMax,Dogs,maybe\n')
  expect({ rows: rows.length, problems, failure }).toEqual({
    rows: 1,
    problems: ['3: hold "maybe" must be yes, no or empty'],
    failure: undefined,
  })
})

for (const [name, delimiter] of Object.entries({ semicolons: ';', tabs: '\t', 'vertical bars': '|' })) {
  test(`a file with ${name} between cells is read, also after a byte order mark and empty lines`, async () => {
    const lines = [
      ['"Name"', 'category', 'Hold'],
      ['"Rex, the dog"', 'Dogs', 'yes'],
      ['Max', 'Dogs', ''],
    ]
    for (const start of ['', '\ufeff', '\ufeff\r\n\r\n']) {
      const text = start + lines.map(cells => cells.join(delimiter)).join('\r\n')
      const { rows, problems, failure } = await read(text)
      expect(rows.map(({ name, category, hold }) => [name, category, hold])).toEqual([
        ['Rex, the dog', 'Dogs', true],
        ['Max', 'Dogs', false],
      ])
      expect([problems, failure]).toEqual([[], undefined])
    }
  })
}

test('a file with mixed line ends is read line by line, and quoted line ends stay in their cells', async () => {
  const text = 'name,category\r\nRex,Dogs\nMax,Dogs\rBo,Dogs\r\n"a\r\nb",Dogs\r\r\nIda,Dogs,1\n'
  const { rows, problems, failure } = await read(text)
  expect(rows.map(({ name, category }) => `${name} ${category}`)).toEqual([
    'Rex Dogs',
    'Max Dogs',
    'Bo Dogs',
    'a\r\nb Dogs',
  ])
  expect([problems, failure]).toEqual([['8: has 3 cells, but the first line names 2 columns'], undefined])
})

test('a CRLF that is divided between two parts of a file is one line end', async () => {
  // Each line feed is at a multiple of 64 bytes, so wherever a part of the file ends, it ends before a line feed.
  const names = Array.from({ length: 40_000 }, (_, index) => `${index}`.padEnd(57, 'x'))
  const text = `${'name,category'.padEnd(63)}\r\n${names.map(name => `${name},Dogs\r\n`).join('')}`
  expect([text.lastIndexOf('\n') % 64, (text.indexOf('\n') - 64) % 64]).toEqual([0, 0])
  const { rows, problems, failure } = await read(text)
  expect(rows.map(({ name }) => name)).toEqual(names)
  expect([problems, failure]).toEqual([[], undefined])
  const long = await read(`${text}${'x'.repeat(70_000)}\r\n`)
  expect(long.failure).toContain(`pets.csv:${names.length + 2}: the line has more than 65536`)
})

test('a line of the maximum length is read, although a part of the file ends before its line feed', async () => {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (const part of [`name,category\n${'x'.repeat(65_536 - 5)},Dogs\r`, '\n']) yield Buffer.from(part)
  }
  const entries = await Array.fromAsync(readPets({ name: 'pets.csv', chunks }, () => {}, 'EUR'))
  expect(entries.map(entry => 'problem' in entry && entry.problem)).toEqual([
    expect.stringContaining('must have 1 to 200 characters'),
  ])
})

test('a line that is too long is reported with its number among mixed line ends', async () => {
  const { failure } = await read(`name,category\r\nRex,Dogs\rMax,Dogs\n${'x'.repeat(70_000)}\n`)
  expect(failure).toContain('pets.csv:4: the line has more than 65536')
})

test('a comma stays the delimiter of a file although a column name contains a semicolon', async () => {
  const { rows, notices } = await read('name,category,hold;x\nRex,Dogs,1\n')
  expect([rows.map(({ name, category, quantity }) => [name, category, quantity]), notices]).toEqual([
    [['Rex', 'Dogs', 1n]],
    [expect.stringContaining('pets.csv:1: the column "hold;x" (did you mean hold?) is ignored')],
  ])
})

test('without a known name, the lines show the delimiter', async () => {
  for (const text of ['Bez.;Gruppe\nRex, der Hund;"Hunde; groß"\n', 'A;B', 'A|B, C\n1|2\n', 'A\tB\n']) {
    const columns: unknown[] = []
    const source = {
      name: 'pets.csv',
      chunks: async function* () {
        yield Buffer.from(text)
      },
    }
    const onColumns = (found: readonly FileColumn[]): void => {
      columns.push(...found.map(({ written }) => written))
    }
    const reading = readPets(source, () => {}, 'EUR', { onColumns }).next()
    await expect(reading).rejects.toThrow(UnclearColumns)
    expect([text, columns.length]).toEqual([text, 2])
  }
})

test('a stock column of another program is asked for, and other columns about a stock are ignored', async () => {
  const stocks =
    'Variant Inventory Qty|On hand (current)|Available|Available [Shop]|Count|Pcs|quantitiy|Verf\u00fcgbar|Disponible|Quantidade'
  for (const column of stocks.split('|')) {
    const { failure, rows } = await read(`Name,Category,${column}\nRex,Dogs,4\n`)
    expect([rows, failure]).toEqual([[], expect.stringContaining(`Did you mean "quantity" by "${column}"?`)])
  }
  const understood =
    'In stock [Shop]|Stock level|Qty|Bestand|St\u00fcck|Stu\u0308ck|Qt\u00e9|Existencias|Unidades'
  for (const column of understood.split('|')) {
    const { rows, notices } = await read(`Name,Category,${column}\nRex,Dogs,4\n`)
    expect(rows[0]?.quantity).toBe(4n)
    expect(notices).toEqual([`pets.csv:1: ${JSON.stringify(column)} is read as quantity`])
  }
  const others =
    'Track stock|Available for sale [Shop]|Stock value|In stock?|Units sold|' +
    'Reserved stock|Restock date|Stock item ID|Out of stock|Variant Inventory Policy'
  for (const column of others.split('|')) {
    const { rows, notices } = await read(`name,category,${column}\nRex,Dogs,4\n`)
    expect([column, rows.length, notices.length]).toEqual([column, 1, 1])
  }
  const both = await read('name,category,quantity,Stock level\nRex,Dogs,4,9\n')
  expect(both.rows[0]?.quantity).toBe(4n)
  const { failure } = await read('name,category,Bestand,Stock level\nRex,Dogs,4,9\n')
  expect(failure).toContain(
    'the columns "Bestand" and "Stock level" are both read as quantity: name one of them so',
  )
})

test('a file with the own names of columns in its first line has no title, whatever its rows are', async () => {
  const names = async (text: string): Promise<string[] | string> => {
    const { rows, failure } = await read(text)
    return failure ?? rows.map(({ name, category, quantity }) => `${name}|${category}|${quantity}`)
  }
  expect(await names('name,category,notes\nTitle,Produkt,Menge\nArtikel,Kategorie,Bestand\n')).toEqual([
    ...['Title|Produkt|1', 'Artikel|Kategorie|1'],
  ])
  expect(await names('name|category|article,product,title,price\nRex|Dogs|z\n')).toEqual(['Rex|Dogs|1'])
  expect(await names('"note, with\nname,category",name,category\n1,Rex,Dogs\n')).toEqual(['Rex|Dogs|1'])
  // A title can have words that are also names.
  expect(await names('Bestand;Preis\n\nArtikel;Kategorie;Preis;Bestand\nRex;Dogs;1;3\n')).toEqual([
    'Rex|Dogs|3',
  ])
  const { notices } = await read('name,category,Preis (EK),Stock (reserved)\nRex,Dogs,4,5\n')
  expect(notices.join()).not.toContain('is read as')
})

test('the Ctrl-Z with which DOS ends a file is no row', async () => {
  for (const end of ['\n\u001a', '\u001a']) {
    const { rows, failure } = await read(`name,category\nRex,Dogs${end}`)
    expect([failure, rows.map(({ category }) => category)]).toEqual([undefined, ['Dogs']])
  }
})

test('a file with millions of empty lines before its header is read', async () => {
  const { failure, rows } = await read('\n'.repeat(8 * MIB) + good)
  expect([failure, rows.length]).toEqual([undefined, 1])
})

test('a title before millions of empty lines is not looked past for ever', async () => {
  const startedMs = performance.now()
  const { failure } = await read(`Stock list\n${'\n'.repeat(8 * MIB)}${good}`)
  expect(failure).toContain('pets.csv:1: the column "name" is missing')
  expect(performance.now() - startedMs).toBeLessThan(20_000)
  const { rows } = await read(`Stock list\n${'\n'.repeat(900)}${good}`)
  expect(rows.map(({ line }) => line)).toEqual([903n])
})

test('a file that grows while it is read is refused', async () => {
  const file = join(directory, 'growing.csv')
  // The file is longer than one read.
  writeFileSync(file, header + 'Rex,Dogs\n'.repeat(200_000))
  const readAll = async (): Promise<void> => {
    let isFirst = true
    for await (const _ of readPets(catalogueSource(file), () => {}, 'EUR')) {
      if (isFirst) appendFileSync(file, 'Max,Dogs\n')
      isFirst = false
    }
  }
  expect(await readAll().catch(String)).toContain(
    'growing.csv changed while it was read: import it again once it is complete.',
  )
})

test('a price such as 1.250 is read as the others show, or as the user says, and otherwise is a mistake', async () => {
  const unclear = 'may be read in two ways: say which mark is before decimals'
  const readPrices = async (prices: readonly string[], currency = 'EUR', decimalMark?: '.' | ',') => {
    const text = `name;category;price\n${prices.map(price => `Rex;Dogs;${price}\n`).join('')}`
    const chunks = async function* () {
      for (let at = 0; at < text.length; at += 17) yield Buffer.from(text.slice(at, at + 17))
    }
    let asked = 0
    const notices: string[] = []
    const onUnclearPrice = () => void asked++
    const options = { decimalMark, onUnclearPrice }
    const read: (bigint | string | undefined)[] = []
    const source = { name: 'pets.csv', chunks }
    for await (const entry of readPets(source, notice => notices.push(notice), currency, options))
      read.push('problem' in entry ? entry.problem : entry.row.price)
    return { read, asked, notices }
  }
  const many = Array.from({ length: 100 }, () => '3')
  for (const [decisive, amount, note] of [
    ['12,50', 125_000n, ': "1.250" is 1250.00'],
    ['12.5', 125n, ': "1.250" is 1.25'],
    ['1.250,00', 125_000n, ': "1.250" is 1250.00'],
    ['1.234.567', 125_000n, ': "1.250" is 1250.00'],
    ['0.500', 125n, ': "1.250" is 1.25'],
    ['1250,5', 125_000n, ': "1.250" is 1250.00'],
  ] as const) {
    const { read, asked, notices } = await readPrices(['1.250', ...many, decisive])
    expect([decisive, read[0], asked, notices]).toEqual([
      ...[decisive, amount, 0],
      [expect.stringContaining(note)],
    ])
  }
  for (const prices of [
    ['1.250', '3'],
    ['1,250', '12,50', '12.50'],
  ]) {
    const { read, asked, notices } = await readPrices(prices)
    expect([read[0], asked, notices]).toEqual([`price ${JSON.stringify(prices[0])} ${unclear}`, 1, []])
  }
  expect((await readPrices(['1.250', '1,250'], 'EUR', ',')).read).toEqual([125_000n, 125n])
  expect((await readPrices(['1.250', '1.255'], 'EUR', '.')).read).toEqual([
    125n,
    expect.stringContaining('must be an amount of EUR'),
  ])
  // A currency with three decimals is written so, but so are thousands.
  // Such blanks are pasted with a text.
  expect((await readPrices(['12,50 €\u2060', '\u206012.50\u2060', '12,-\u2060', '\u2060'])).read).toEqual([
    ...[1250n, 1250n, 1200n, undefined],
  ])
  expect((await readPrices(['1.250'], 'KWD')).read).toEqual([`price "1.250" ${unclear}`])
  expect((await readPrices(['1.250', '0.900'], 'KWD')).read).toEqual([1250n, 900n])
  expect((await readPrices(['1.250', '2,500.500'], 'KWD')).read).toEqual([1250n, 2_500_500n])
  expect((await readPrices(['1.250', '2.500,500'], 'KWD')).read).toEqual([1_250_000n, 2_500_500n])
})
