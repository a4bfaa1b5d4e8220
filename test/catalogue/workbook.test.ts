import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { readPets } from '../../src/catalogue/catalogue-file.ts'

const MIB = 1024 * 1024
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006'

interface Reading {
  readonly lines: readonly string[]
  readonly notices: readonly string[]
}

/** Reads pets from bytes that arrive in pieces. */
async function read(bytes: Uint8Array, pieceBytes = 1000): Promise<Reading> {
  const notices: string[] = []
  const lines: string[] = []
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes)
  }
  try {
    for await (const entry of readPets({ name: 'pets.xlsx', chunks }, line => notices.push(line), 'EUR')) {
      if ('problem' in entry) lines.push(`${entry.line}: ${entry.problem}`)
      else {
        const { line, name, category, quantity, reorderAt, price, barcode = [] } = entry.row
        lines.push([line, name, category, quantity, reorderAt ?? '', price ?? ''].concat(barcode).join('|'))
      }
    }
  } catch (error) {
    return { lines: [error instanceof Error ? error.message : String(error)], notices }
  }
  return { lines, notices }
}

async function readFixture(name: string, pieceBytes?: number): Promise<Reading> {
  return await read(await Bun.file(join(import.meta.dir, 'files', name)).bytes(), pieceBytes)
}

/** Returns a workbook whose sheet has this XML. */
function workbook(
  sheet: string,
  parts: Record<string, Uint8Array> = {},
  unread = '<sheetData/>',
): Uint8Array {
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${OFFICE}/relationships/${type}" Target="${target}"/>`
  const relations = (inner: string): string =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`
  const main =
    'xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
  return zipSync({
    '[Content_Types].xml': strToU8(
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    ),
    '_rels/.rels': strToU8(relations(relation('r1', 'officeDocument', 'xl/workbook.xml'))),
    'xl/workbook.xml': strToU8(
      `<workbook ${main} xmlns:r="${OFFICE}/relationships">` +
        '<sheets><sheet name="S" sheetId="1" r:id="r1"/><sheet name="T" sheetId="2" r:id="r2"/></sheets></workbook>',
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      relations(
        relation('r1', 'worksheet', 'worksheets/sheet1.xml') +
          relation('r2', 'worksheet', 'worksheets/sheet2.xml'),
      ),
    ),
    'xl/worksheets/sheet1.xml': strToU8(`<worksheet ${main}>${sheet}</worksheet>`),
    'xl/worksheets/sheet2.xml': strToU8(`<worksheet ${main}>${unread}</worksheet>`),
    ...parts,
  })
}

const row = (number: number, ...cells: readonly string[]): string =>
  `<row r="${number}">${cells
    .map(
      (text, index) =>
        `<c r="${String.fromCharCode(65 + index)}${number}" t="inlineStr"><is><t>${text}</t></is></c>`,
    )
    .join('')}</row>`

test('a workbook with a title, German names of columns, a date, units and a second sheet is read', async () => {
  for (const pieceBytes of [1, 1000, MIB]) {
    expect(await readFixture('german.xlsx', pieceBytes)).toEqual({
      lines: [
        '4|Goldfisch "Gold"|Fische|3|5|250|4000821657280',
        '5|Hundefutter, Rind|Futter|3||1999|0041',
        '6|2026-10-03|Futter|12|1|',
        '7|Zwei Zeilen|Futter|0||',
        '8: quantity "viele" must be an integer from 0 to 1000000000',
      ],
      notices: [
        'pets.xlsx: only the sheet "Bestand" is read, not "Alt"',
        'pets.xlsx: above the names of the columns, 1 line is left out',
        'pets.xlsx:3: "Artikel" is read as name, "Warengruppe" as category, "Bestand" as quantity, ' +
          '"VK-Preis (€)" as price, "Mindestbestand" as reorderAt and "EAN" as barcode',
      ],
    })
  }
})

test('formulas are read as their stored values, and a text that looks like one is a text', async () => {
  expect((await readFixture('english.xlsx')).lines).toEqual([
    '2|Rex|Dogs|2||125050',
    '3|=HYPERLINK("http://x.example")|Dogs|1||30',
    '4|Max II|Dogs|5||',
  ])
})

test('a number has a point whatever mark the texts show, and shows none for them', async () => {
  const prices = (...cells: readonly string[]): Promise<Reading> => {
    const rows = cells.map((cell, index) =>
      row(index + 2, `P${index}`, 'Dogs').replace(
        '</row>',
        `${cell.replace('<c', `<c r="C${index + 2}"`)}</row>`,
      ),
    )
    return read(workbook(`<sheetData>${row(1, 'name', 'category', 'price')}${rows.join('')}</sheetData>`))
  }
  const number = (value: string): string => `<c><v>${value}</v></c>`
  const text = (value: string): string => `<c t="inlineStr"><is><t>${value}</t></is></c>`
  expect(
    await prices(
      number('10.472'),
      text('12,50 €'),
      number('12.5'),
      number('3.3000000000000003'),
      text('1.250 €'),
    ),
  ).toEqual({
    lines: [
      '2: price "10.472" must be an amount of EUR such as 12.50, without separators between thousands',
      '3|P1|Dogs|1||1250',
      '4|P2|Dogs|1||1250',
      '5|P3|Dogs|1||330',
      '6|P4|Dogs|1||125000',
    ],
    notices: ['pets.xlsx: in prices, “,” is before decimals: "1.250 €" is 1250.00'],
  })
  expect((await prices(number('12.5'), text('1.250 €'))).lines).toEqual([
    '2|P0|Dogs|1||1250',
    '3: price "1.250 €" may be read in two ways: say which mark is before decimals',
  ])
})

test('a barcode that Excel has shortened is refused, and other numbers are names', async () => {
  const sheet = (cells: string): Uint8Array =>
    workbook(`<sheetData>${row(1, 'category', 'name', 'barcode')}<row r="2">${cells}</row></sheetData>`)
  const cells = '<c r="A2"><v>7</v></c><c r="B2"><v>0.125</v></c>'
  expect((await read(sheet(`${cells}<c r="C2"><v>1.23456789012346E+17</v></c>`))).lines).toEqual([
    '2: barcode "1.23456789012346e+17" has lost digits in a spreadsheet: format its column as text',
  ])
  expect((await read(sheet(`${cells}<c r="C2"><v>4006381333931</v></c>`))).lines).toEqual([
    '2|0.125|7|1|||4006381333931',
  ])
})

test('empty rows count, so that a problem names the row of the sheet', async () => {
  const sheet = `<sheetData>${row(3, 'name', 'category')}${row(7, 'Rex', 'Dogs')}${row(9, '', 'Dogs')}</sheetData>`
  expect((await read(workbook(sheet))).lines).toEqual(['7|Rex|Dogs|1||', '9: name is empty'])
})

test('a workbook that unpacks to all memory, is large, or is damaged is refused', async () => {
  const rows = `<sheetData>${row(1, 'name', 'category')}`
  const bomb = workbook(`${rows}${' '.repeat(61 * MIB)}</sheetData>`)
  expect(bomb.length).toBeLessThan(MIB)
  const before = process.memoryUsage().rss
  expect((await read(bomb, MIB)).lines).toEqual([
    'pets.xlsx contains more than 60 MiB: save it as "CSV UTF-8".',
  ])
  expect(process.memoryUsage().rss - before).toBeLessThan(60 * MIB)
  const large = new Uint8Array(21 * MIB)
  large.set(bomb)
  expect((await read(large, MIB)).lines).toEqual(['pets.xlsx has more than 20 MiB: save it as "CSV UTF-8".'])
  const good = workbook(`${rows}${row(2, 'Rex', 'Dogs')}</sheetData>`)
  for (const bytes of [
    good.subarray(0, good.length / 2),
    workbook('', { 'xl/workbook.xml': strToU8('<x') }),
  ]) {
    const { lines } = await read(bytes)
    expect(lines).toEqual([expect.stringMatching(/^pets\.xlsx (is|cannot be read as) an? .*CSV/)])
  }
})

test('a declared size that is too small does not make a program unpack more', async () => {
  const bomb = workbook(`<sheetData>${row(1, 'name', 'category')}${' '.repeat(61 * MIB)}</sheetData>`)
  // The uncompressed sizes are in the headers of the parts and in the central directory.
  const view = new DataView(bomb.buffer, bomb.byteOffset)
  for (let at = 0; at < bomb.length - 4; at++) {
    const signature = view.getUint32(at, true)
    if (signature === 0x04034b50 && view.getUint32(at + 22, true) > MIB) view.setUint32(at + 22, 1000, true)
    if (signature === 0x02014b50 && view.getUint32(at + 24, true) > MIB) view.setUint32(at + 24, 1000, true)
  }
  const before = process.memoryUsage().rss
  const { lines } = await read(bomb, MIB)
  expect(lines).toEqual([
    'pets.xlsx cannot be read as an Excel workbook (unexpected end of file): save it as "CSV UTF-8".',
  ])
  expect(process.memoryUsage().rss - before).toBeLessThan(60 * MIB)
})

test('a workbook with a cell without its value, or with one too far away, is refused', async () => {
  const head = row(1, 'name', 'category', 'quantity')
  const sheet = (cell: string): Uint8Array =>
    workbook(
      `<sheetData>${head}<row r="2"><c r="A2"><v>7</v></c><c r="B2"><v>8</v></c>${cell}</row></sheetData>`,
      {},
      '<sheetData><row r="1"><c r="A1"><f>not read</f></c></row></sheetData>',
    )
  for (const cell of [
    '<c r="C2"><f>2+1</f></c>',
    '<c r="C2"><f>2+1</f><v></v></c>',
    '<c r="C2"><f>2+1</f><v /></c>',
    '<c r="C2"><f t="shared" si="0"/></c>',
    '<c r="C2" t="str"><f>A2</f></c>',
    '<c r="C2" t="e"><f>A2</f><v/></c>',
    '<c r="C2">\n<f>2+1</f>\n<v></v>\n</c>',
    '<x:c r="C2"><x:f>SUM(E2:F2)</x:f></x:c>',
    '<x:c r="C2"><x:f>SUM(E2:F2)</x:f><x:v></x:v></x:c>',
    "<x-y:c r='C2'><x-y:f>SUM(E2:F2)</x-y:f></x-y:c>",
  ]) {
    expect((await read(sheet(cell))).lines).toEqual([
      'pets.xlsx: the cell C2 ("S") has a formula without its value: correct it, and save the ' +
        'workbook with a spreadsheet program.',
    ])
  }
  expect((await read(sheet('<c r="C2"><f>2+1</f><v>3</v></c>'))).lines).toEqual(['2|7|8|3||'])
  for (const cell of [
    '<c r="C2" s="1" t="e"><f>A9</f><v>#REF!</v></c>',
    '<x:c r="C2" t="e"><x:v>#REF!</x:v></x:c>',
    "<x-y:c r='C2' t='e'><x-y:v>#REF!</x-y:v></x-y:c>",
  ])
    expect((await read(sheet(cell))).lines).toEqual([
      '2: quantity "#REF!" is an error of the spreadsheet: correct it there',
    ])
  expect((await read(sheet('<c r="C2" t="str"><f>IF(Z2="","",Z2)</f><v></v></c>'))).lines).toEqual([
    '2|7|8|1||',
  ])
  for (const far of ['XFD1048576', 'ZZZZZZ999999999', 'A3000000']) {
    const { lines } = await read(sheet(`<c r="${far}"><v>1</v></c>`))
    expect(lines).toEqual([
      expect.stringMatching(/^pets\.xlsx has a cell in row \d+ or column \d+, with too many/),
    ])
  }
})

test('external references, macros and entities are not followed or run', async () => {
  const sheet =
    `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><sheetData>${row(1, 'name', 'category')}` +
    `${row(2, '&e;', 'Dogs')}</sheetData>`
  const { lines } = await read(workbook(sheet, { 'xl/vbaProject.bin': new Uint8Array(1000) }))
  expect(lines.join()).not.toContain('root:')
})
