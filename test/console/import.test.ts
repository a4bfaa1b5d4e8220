import { expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { readPets } from '../../src/catalogue/catalogue-file.ts'
import { catalogueSource } from '../../src/cli/import/catalogue-source.ts'
import { everyItem } from '../support/client.ts'
import { sharedStore } from '../support/shop.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { holdRequests } from './requests.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

const directory = testFolder()

/** Writes a file of pets, and chooses the file on the page. Returns its path. */
async function choosePets(page: Page, content: string | Uint8Array): Promise<string> {
  const file = join(directory, 'pets.csv')
  writeFileSync(file, content)
  await page.locator('input[type=file]').nth(1).setInputFiles(file)
  // The page removes its message about the previous file.
  await page.getByRole('alert').waitFor({ state: 'detached' })
  return file
}

/** Returns what `petstore import` says about a file: the problems of its lines, or why it cannot be read. */
async function commandLineSays(file: string): Promise<string[]> {
  const problems: string[] = []
  try {
    for await (const entry of readPets(catalogueSource(file), () => {}, 'EUR')) {
      if ('problem' in entry) problems.push(`${entry.line}: ${entry.problem}`)
    }
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
  return problems
}

/** Checks the chosen file, and returns what the page says about it. */
async function consoleSays(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'Check' }).click()
  const alert = page.getByRole('alert')
  await alert.waitFor()
  const [title = '', sentence = ''] = (await alert.innerText()).split('\n')
  if (title === 'The file cannot be read') return [sentence]
  const rows = await page.getByRole('table', { name: 'Problems' }).getByRole('row').all()
  const cells = await Promise.all(rows.slice(1).map(row => row.getByRole('cell').allInnerTexts()))
  return cells.map(([, line, problem]) => `${line}: ${problem}`)
}

const files: Readonly<Record<string, string | Uint8Array>> = {
  'a file in Latin-1': new Uint8Array([...Buffer.from('name,category\nZo'), 0xeb, ...Buffer.from(',Cats\n')]),
  'an empty file': '',
  'a column that is named twice': 'name,category,name\nRex,Dogs,Max\n',
  'a missing column': 'name\nRex\n',
  'a missing column after empty lines': '\n\nname\nRex\n',
  'mixed line ends': 'name,category,quantity\nRex,Dogs,x\r\nMax,Dogs,y\r"a\r\nb",Dogs,z\n',
  'a line that is too long, after mixed line ends': `name,category\r\nRex,Dogs\r${','.repeat(70_000)}\n`,
  'columns in capital letters': 'NAME,Category,Quantity,Hold\nRex,Dogs,x,yes\n',
  'a column that is named twice, in upper and lower case': 'Name,Category,name\nRex,Dogs,Max\n',
  'another delimiter, in capital letters': 'Name;Category\n"";Dogs\n',
  'semicolons, a byte order mark and empty lines':
    '\u{feff}\r\n"Category";"Name";Hold\r\n\r\nDogs;"Rex; II";maybe\r\n',
  'tabs, and commas in cells': 'name\tcategory\tquantity\nRex, the dog\tDogs\t1,5\n',
  'vertical bars': 'name|category\nRex|Dogs|Max\n',
  'two delimiters in the header': 'name,category;hold\nRex,Dogs\n',
  'an unknown column and a quote in a cell': 'name,category,"col\nour"\n12" Rex,Dogs,red,x\n',
  'a workbook of Excel': new Uint8Array([0x50, 0x4b, 3, 4, ...Buffer.from('xl/workbook.xml')]),
  'text after a closing quote': 'name,category\n"Rex" II,Dogs\n',
  'a row of several lines that look like rows': 'name,category\n"Rex,Dogs\nMax",Dogs\n',
  'an unknown header with semicolons': 'nom;prix\nRex;3\n',
  'a header with semicolons, and rows with commas': 'name;category\nRex,Dogs\n',
  'a quote that is not closed': 'name,category\n\nRex,Dogs\n"Max,Dogs\n',
  'a line that is too long': `name,category\nRex,Dogs\n${','.repeat(70_000)}\n`,
  'a record that is too long': `name,category\nRex,Dogs\n"${'a\n'.repeat(35_000)}",Dogs\n`,
  'problems in records of several lines, after empty lines':
    'name,category,quantity,hold\n\n"Rex\nII",Dogs,x,\n\n"Max\nII\nIII",Dogs\n,Dogs,1,\nIda,,1,no\n',
  'cells that break a rule': `\u{feff}category,name,hold,quantity\r\n${[
    `Dogs,${'a'.repeat(201)},,`,
    `Dogs,${'🐕'.repeat(200)},perhaps,`,
    'Dogs,Rex,no,007',
    'Dogs,Rex,no, 7',
    'Dogs,Rex,no,1000000001',
    'Dogs,Rex,\u202eno,1',
  ].join('\r\n')}`,
}

test('the import says about each file what the reader of the command line says', async () => {
  await store().client.createCategory({ body: { name: 'Dogs' } })
  const page = await browser.open(store(), '/import')
  for (const [name, content] of Object.entries(files)) {
    const file = await choosePets(page, content)
    const expected = await commandLineSays(file)
    expect([name, expected.length > 0]).toEqual([name, true])
    expect([name, await consoleSays(page)]).toEqual([name, expected])
  }
})

test('the page reports a file without rows, and a file that was changed or deleted after it was chosen', async () => {
  const page = await browser.open(store(), '/import')
  await choosePets(page, 'name,category\n')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('pets.csv has no rows: it has only the line that names the columns.').waitFor()
  expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true)
  const stale = ['pets.csv was changed, moved or deleted after it was chosen: choose the file again.']
  const file = await choosePets(page, 'name,category\nRex,Nowhere\n')
  expect(await consoleSays(page)).toEqual(['2: there is no category "Nowhere"'])
  writeFileSync(file, 'name,category\nRexona,Nowhere\n')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('The file cannot be read').waitFor()
  expect(await consoleSays(page)).toEqual(stale)
  await choosePets(page, 'name,category\n\nRexona,Nowhere\n')
  expect(await consoleSays(page)).toEqual(['3: there is no category "Nowhere"'])
  rmSync(file)
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('The file cannot be read').waitFor()
  expect(await consoleSays(page)).toEqual(stale)
})

test('the page loads the valid lines of a file with tabs, and offers the invalid lines as a file', async () => {
  const page = await browser.open(store(), '/import')
  const accepted = await page.locator('input[type=file]').nth(1).getAttribute('accept')
  for (const type of ['.csv', '.tsv', '.tab', '.txt']) expect(accepted?.split(',')).toContain(type)
  const header = 'Name\tCategory\tQuantity\tVendor\r\n'
  const invalid = 'Tom\tNewts\tmany\t\r\n'
  const text = `${header}"Lucky\tNewts\t1\tx\r\n${invalid}12" snake\tNEWTS\t2\t\r\n`
  await choosePets(page, Buffer.from(`\ufeff${text}`, 'utf16le'))
  expect(await consoleSays(page)).toEqual([
    '2: there is no category "Newts"',
    '3: quantity "many" must be an integer from 0 to 1000000000',
    '4: there is no category "NEWTS"',
  ])
  await page.getByText('1 category is missing.').waitFor()
  await page.getByLabel('Create the categories').check()
  await page.getByLabel('Load the valid lines').check()
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('1 new category and 2 pets can be imported.').waitFor()
  await page.getByText('the column "Vendor" is ignored').waitFor()
  await page.getByText('are found without regard to case: "NEWTS" as "Newts"').waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the invalid lines of pets' }).click()
  const file = await (await downloading).path()
  expect(readFileSync(file, 'utf8')).toBe(`\ufeff${header}${invalid}`)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 new category and 2 pets were loaded.').waitFor()
  const { data } = await store().client.listPets({ limit: 100 })
  expect(data.items.map(({ name }) => name)).toEqual(['"Lucky', '12" snake'])
})

test('a file whose upload was cut is sent again as a whole, and loaded once', async () => {
  const { client } = store()
  const { data: category } = await client.createCategory({ body: { name: 'Shrimps' } })
  const page = await browser.open(store(), '/import')
  const names = Array.from({ length: 1200 }, (_, index) => `Shrimp no. ${index}`)
  await choosePets(page, `name,category\n${names.map(name => `${name},Shrimps`).join('\n')}\n`)
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('1,200 pets can be imported.').waitFor()
  let isCut = false
  // After the first group of rows nothing reaches the store, not even that the group is discarded.
  await page.route('**/imports/**', async route => {
    await (isCut ? route.abort('connectionrefused') : route.continue())
    isCut ||= route.request().url().endsWith('/rows')
  })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const again = page.getByRole('button', { name: 'Send again' })
  await again.waitFor()
  await page.unroute('**/imports/**')
  await again.click()
  await page.getByText('1,200 pets were loaded.').waitFor()
  const pets = await Array.fromAsync(everyItem(client.listPets, { categoryId: [category.id], limit: 100 }))
  expect(pets.map(({ name }) => name)).toEqual(names)
})

test('a workbook of Excel is checked and loaded, and its invalid lines are saved as CSV', async () => {
  const page = await browser.open(store(), '/import')
  const workbook = join(import.meta.dir, '../catalogue/files/german.xlsx')
  await page.locator('input[type=file]').nth(1).setInputFiles(workbook)
  await page.getByRole('checkbox', { name: /^Create the categories/ }).check()
  await page.getByRole('checkbox', { name: /^Load the valid lines/ }).check()
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('"Artikel" is read as name').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the invalid lines of pets' }).click()
  expect((await download).suggestedFilename()).toBe('rejected-german.csv')
  await page.getByRole('main').getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('2 new categories and 4 pets were loaded.').waitFor()
  const { data } = await store().client.listPets({ search: 'hundefutter', include: 'stock' })
  expect(data.items).toMatchObject([{ name: 'Hundefutter, Rind', price: 1999n, quantity: 3n }])
})

test('the result of a check belongs to its options: another option needs another check', async () => {
  const page = await browser.open(store(), '/import')
  await choosePets(page, 'name,category\nChanged mind,Unknown kind\n')
  const create = page.getByRole('checkbox', { name: /^Create the categories/ })
  const load = page.getByRole('main').getByRole('button', { name: 'Import', exact: true })
  await create.check()
  const hold = await holdRequests(page, request => request.url().includes('/imports/'))
  await page.getByRole('button', { name: 'Check' }).click()
  await until('the files are checked', () => hold.held.length > 0)
  expect(await create.isEnabled()).toBe(false)
  hold.release()
  await page.getByText('1 new category and 1 pet can be imported.').waitFor()
  expect(await load.isEnabled()).toBe(true)
  await create.uncheck()
  expect(await page.getByText('can be imported').count()).toBe(0)
  expect(await load.isEnabled()).toBe(false)
})

test('a pet of a category whose name exists twice is loaded into the oldest one, and the page says so', async () => {
  const { client } = store()
  const ids: bigint[] = []
  for (const name of ['Doubled', 'Doubled'])
    ids.push((await client.createCategory({ body: { name } })).data.id)
  const page = await browser.open(store(), '/import')
  await choosePets(page, 'name,category\nInto the oldest,Doubled\n')
  await page.getByRole('button', { name: 'Check' }).click()
  await page
    .getByText('the store has several categories of one name, and the oldest is used: "Doubled"')
    .waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('0 new categories and 1 pet were loaded.').waitFor()
  const { data } = await client.listPets({ name: 'Into the oldest' })
  expect(data.items.map(({ categoryId }) => categoryId)).toEqual(ids.slice(0, 1))
})

test('the page asks what 1.250 means if the prices do not show it, and reads it as the user says', async () => {
  const page = await browser.open(store(), '/import')
  await choosePets(page, 'name;category;price\nLeash;Prices;1.250\nBall;Prices;3\n')
  await page.getByLabel('Create the categories').check()
  const check = page.getByRole('button', { name: 'Check' })
  const question = page.getByRole('radiogroup', { name: 'How are decimals written in the prices?' })
  await check.click()
  await page.getByRole('cell', { name: 'price "1.250" may be read in two ways' }).waitFor()
  await question.getByLabel('With a comma: 12,50').check()
  await check.click()
  await page.getByText('in prices, “,” is before decimals: "1.250" is 1250.00').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('were loaded').waitFor()
  const { data } = await store().client.listPets({ name: 'Leash' })
  expect(data.items.map(({ price }) => price)).toEqual([125_000n])
  // For another file, the page asks again.
  await choosePets(page, 'name;category;price\nBell;Prices;12,50\n')
  await question.waitFor({ state: 'detached' })
})

test('a reload asks before it leaves a part of a list in the store', async () => {
  const page = await browser.open(store(), '/import')
  await page.getByLabel('Create the categories that pets name').check()
  await choosePets(page, 'name,category,quantity\nLeash,Reloaded,1\n')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('Every line is valid').waitFor()
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  await page.route('**/imports/*/slices', async route => {
    begun.resolve()
    await held.promise
    await route.continue()
  })
  await page.getByRole('main').getByRole('button', { name: 'Import', exact: true }).click()
  await begun.promise
  const asked = Promise.withResolvers<string>()
  page.on('dialog', question => {
    asked.resolve(question.type())
    void question.dismiss()
  })
  await page.evaluate('location.reload()')
  expect(await asked.promise).toBe('beforeunload')
  held.resolve()
  await page.getByText('Imported', { exact: true }).waitFor()
})

test('a delivery from a file adds to the stock, and is taken back, except for what was sold since', async () => {
  const { client } = store()
  const pet = (name: string, quantity: number) => `${name},Delivered,${quantity}\n`
  const page = await browser.open(store(), '/import')
  const importFile = async (content: string): Promise<void> => {
    await choosePets(page, `name,category,quantity\n${content}`)
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('Every line is valid').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Imported', { exact: true }).waitFor()
  }
  await page.getByLabel('Create the categories that pets name').check()
  await importFile(pet('Rope', 2) + pet('Bell', 1))
  await page.getByLabel('Update, and add to the stock').check()
  await importFile(pet('Rope', 5) + pet('Bell', 3) + pet('Harness', 1))
  await page.getByText('0 new categories and 1 pet, 2 pets updated were loaded.').waitFor()
  const stock = async () =>
    (await client.listPets({ search: 'Rope', include: 'stock' })).data.items.map(({ quantity }) => quantity)
  expect(await stock()).toEqual([7n])
  const [{ id: petId } = { id: 0n }] = (await client.listPets({ search: 'Bell' })).data.items
  await client.placeOrder({ body: { petId, complete: true } })
  const past = page.getByRole('table', { name: 'Imports of the last 30 days' })
  await past.getByRole('row').nth(1).getByText('1 new pet, 2 pets updated', { exact: true }).waitFor()
  await past.getByRole('button', { name: 'Take back' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
  await page.getByText('2 changes were taken back. 1 stays:').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Bell: sold or changed since' }).waitFor()
  await past.getByText('1 new pet, 2 pets updated, 2 changes taken back', { exact: true }).waitFor()
  expect(await stock()).toEqual([2n])
  expect((await client.listPets({ search: 'Harness' })).data.items).toEqual([])
  // The category has only pets of its own import.
  await past.getByRole('button', { name: 'Take back' }).nth(1).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Delivered: still has pets' }).waitFor()
  await page.context().close()
})

test('the user says what a column is, also of a file that is refused without it, and leaves one out', async () => {
  const page = await browser.open(store(), '/import')
  await store().client.createCategory({ body: { name: 'Mapped' } })
  // The column of names is unknown, and another one has the name of the prices.
  await choosePets(page, 'Bez;category;price;VK\nMapped one;Mapped;0,10;12,50\n')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('the column "name" is missing').waitFor()
  const read = async (column: string, as: string): Promise<void> => {
    await page.getByRole('combobox', { name: column, exact: true }).click()
    await page.getByRole('option', { name: as, exact: true }).click()
  }
  expect(await page.getByRole('combobox', { name: 'price', exact: true }).inputValue()).toBe('price')
  await read('Bez', 'name')
  await read('VK', 'price')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('1 pet can be imported').waitFor()
  expect(await page.getByRole('combobox', { name: 'price', exact: true }).inputValue()).toBe('left out')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('1 pet were loaded').waitFor()
  const { data } = await store().client.listPets({ name: 'Mapped one' })
  expect(data.items[0]).toMatchObject({ name: 'Mapped one', price: 1250n })
  // Another file has other columns.
  await choosePets(page, 'name,category\nMax,Mapped\n')
  expect(await page.getByRole('group', { name: 'Columns of the pets file' }).count()).toBe(0)
})

test('what the user says about columns stays for the corrected file, also of an unknown header', async () => {
  const page = await browser.open(store(), '/import')
  await store().client.createCategory({ body: { name: 'Corrected' } })
  const check = page.getByRole('button', { name: 'Check' })
  const read = async (column: string, as: string): Promise<void> => {
    await page.getByRole('combobox', { name: column, exact: true }).click()
    await page.getByRole('option', { name: as, exact: true }).click()
  }
  await choosePets(page, 'Bez.;Gruppe\nCorrected one;Korrected\nCorrected two;Corrected\n')
  await check.click()
  await page.getByText('Say what each column is').waitFor()
  await read('Bez.', 'name')
  await read('Gruppe', 'category')
  await check.click()
  await page.getByText('1 line cannot be imported').waitFor()
  await choosePets(page, 'Bez.;Gruppe\nCorrected one;Corrected\nCorrected two;Corrected\n')
  await check.click()
  await page.getByText('2 pets can be imported').waitFor()
  expect(await page.getByRole('combobox', { name: 'Gruppe', exact: true }).inputValue()).toBe('category')
  // The prices of a file that is refused are unclear.
  await choosePets(page, 'Liste\n\nBezeichnung;Warengruppe;Lager;Preis\nCorrected three;Corrected;3;1.250\n')
  await check.click()
  await page.getByText('Did you mean "quantity" by "Lager"?').waitFor()
  await page.getByText('Say what each column is').waitFor()
  await read('Lager', 'quantity')
  await page.getByText('The file cannot be read').waitFor({ state: 'detached' })
})

test('an import that a reload cut continues without its file, and is taken back once', async () => {
  const page = await browser.open(store(), '/import')
  const begin = async (names: readonly string[]): Promise<void> => {
    await choosePets(page, `name,category\n${names.map(name => `${name},Cut\n`).join('')}`)
    await page.getByLabel('Create the categories that pets name').check()
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText('Every line is valid').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Import', exact: true }).click()
  }
  let slices = 0
  let isCut = false
  const isLater = (url: string): boolean => /slices$/.test(url) && ++slices > 1
  const { held } = await holdRequests(page, request => !isCut && isLater(request.url()))
  await begin(Array.from({ length: 120 }, (_, index) => `Cut ${index}`))
  // Another view does not end the import.
  await page.getByRole('status').filter({ hasText: '50 of 121 rows are loaded' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Pets' }).click()
  await page.getByRole('heading', { name: 'Pets' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Import' }).click()
  await page.getByText('50 of 121 rows are loaded', { exact: true }).waitFor()
  expect(await page.getByText('An import was cut').count()).toBe(0)
  expect(held.length).toBe(1)
  page.on('dialog', question => void question.accept())
  await page.reload()
  isCut = true
  await page.getByText('An import was cut: 50 of 121 rows are loaded').waitFor()
  await page.getByRole('button', { name: 'Continue the import' }).click()
  await page.getByText('0 new categories and 71 pets were loaded.').waitFor()
  await page.getByText('An import was cut').waitFor({ state: 'detached' })
  const last = page.getByRole('table', { name: 'Imports of the last 30 days' }).getByRole('row').nth(1)
  await last.getByText('1 new category, 120 new pets').waitFor()
  await last.getByRole('button', { name: 'Take back' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
  await last.getByText('121 changes taken back').waitFor()
  expect(await last.getByRole('button').count()).toBe(0)
  expect((await store().client.listCategories({})).data.items.map(({ name }) => name)).not.toContain('Cut')
})

test('lines that the store refuses while it loads are named in German, and saved to be corrected', async () => {
  const { client } = store()
  const { data: category } = await client.createCategory({ body: { name: 'Gezählt' } })
  for (const name of ['Käfig', 'Napf']) {
    const { data } = await client.createPet({ body: { name, categoryId: category.id } })
    await client.setInventory({ petId: data.id, body: { quantity: 5n } })
    await client.placeOrder({ body: { petId: data.id, quantity: 3n } })
  }
  const page = await browser.open(store(), '/import', { locale: 'de-DE' })
  const lines = ['name;category;quantity\n', 'Käfig;Gezählt;2\n', 'Napf;Gezählt;4\n']
  await choosePets(page, lines.join(''))
  await page.getByLabel('Übernehmen und den Bestand setzen').check()
  await page.getByRole('button', { name: 'Prüfen' }).click()
  await page.getByText('Eine Zeile, die der Shop beim Laden ablehnt, wird ausgelassen').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Importiert, aber 1 Zeile ist nicht geladen').waitFor()
  await page
    .getByRole('cell', { name: '„Käfig“ hätte 2 auf Lager, aber offene Bestellungen reservieren 3' })
    .waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Ungültige Tiere herunterladen' }).click()
  expect(readFileSync(await (await downloading).path(), 'utf8')).toBe(`${lines[0]}${lines[1]}`)
  expect((await client.listPets({ search: 'Napf', include: 'stock' })).data.items).toMatchObject([
    { quantity: 4n },
  ])
})

test('the page says that barcodes have lost zeros, and adds them if the user says so', async () => {
  const page = await browser.open(store(), '/import')
  await store().client.createCategory({ body: { name: 'Zeros' } })
  await choosePets(page, 'name,category,barcode\nReel,Zeros,12345678905\nRod,Zeros,4006381333931\n')
  const check = page.getByRole('button', { name: 'Check' })
  await check.click()
  await page.getByText('pets.csv: 1 barcode seems to have lost zeros at its start: 12345678905').waitFor()
  await page.getByLabel('Add the zeros that the barcodes have lost').check()
  await check.click()
  await page.getByText('Every line is valid').waitFor()
  expect(await page.getByText('seems to have lost zeros').count()).toBe(0)
  await page.getByRole('main').getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('2 pets were loaded').waitFor()
  const { data } = await store().client.listPets({ search: '012345678905' })
  expect(data.items).toMatchObject([{ name: 'Reel', barcode: '0012345678905' }])
})
