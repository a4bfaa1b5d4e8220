import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { german } from '../../src/console/words/german.ts'
import { viewPaths } from '../../src/http/pages/view-paths.ts'
import { sharedStore } from '../support/shop.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { addPet, isTooWide } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

/** Returns what people see or hear of a page: the text of each element that has some, and the texts of attributes. */
const TEXTS = `[...document.querySelectorAll('body *')].filter(part => !part.closest('style, script, bdi, code'))
  .flatMap(part => [
    [...part.childNodes].some(node => node.nodeType === 3 && node.data.trim() !== '') ? part.textContent : '',
    ...['aria-label', 'title', 'placeholder', 'data-label'].map(name => part.getAttribute(name) ?? ''),
  ])
  .map(text => text.trim()).filter(text => text !== '')`

/** Returns the texts of the buttons whose words are cut off, or are wider than the window. */
const CUT = `[...document.querySelectorAll('button, a[class*=Button]')]
  .filter(button => [button, ...button.querySelectorAll('span')].some(part => part.scrollWidth > part.clientWidth + 1 &&
    part.clientWidth > 0 && getComputedStyle(part).display !== 'inline'))
  .map(button => button.textContent)`

/** Returns the texts of the cells of cards whose label is higher than they are. */
const OVERFLOWING = `[...document.querySelectorAll('.cards td')]
  .filter(cell => cell.scrollHeight > cell.clientHeight + 1).map(cell => cell.dataset.label)`

/** The English sentences that differ in German. A placeholder stands for any text. */
const english = Object.entries(german.sentences)
  .filter(([one, other]) => one.replace(/#\w+$/, '') !== other)
  .map(([one]) => {
    const parts = one.replace(/#\w+$/, '').split(/\{\w+\}/)
    return new RegExp(`^${parts.map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')}$`, 's')
  })
  // Those whose words are also German, such as `{units} at {price}`, would match any text.
  .filter(({ source }) => /[a-z]{4}/i.test(source))

async function expectGerman(page: Page, place: string): Promise<void> {
  const texts = await page.evaluate<string[]>(TEXTS)
  expect(texts.length).toBeGreaterThan(3)
  expect([place, texts.filter(text => english.some(sentence => sentence.test(text)))]).toEqual([place, []])
  const cut = [...(await page.evaluate<string[]>(CUT)), ...(await page.evaluate<string[]>(OVERFLOWING))]
  expect([place, await isTooWide(page), cut]).toEqual([place, false, []])
}

test('each view is wholly in German, in a German browser, and fits the screen of a phone', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), 'Waldi', 5n)
  await client.recordSale({ body: { lines: [{ petId, quantity: 1n, unitPrice: 1250n }] } })
  await client.placeOrder({ body: { petId, reference: 'Frau Meier' } })
  await client.setInventory({ petId, body: { quantity: 4n, reorderAt: 9n } })
  await client.createWebhook({ body: { url: 'http://127.0.0.1:1/' } })
  const page = await browser.open(store(), '', { width: 390, locale: 'de-DE' })
  await page.getByRole('heading', { name: 'Übersicht' }).waitFor()
  for (const path of [...viewPaths, '/orders?day=today', '/orders?day=month&show=lines', '/nowhere']) {
    await page.goto(`${store().base}/console${path.replace(':id', '1')}`)
    // Until the key is checked, the page is that of the sign-in.
    await page.getByRole('button', { name: 'Abmelden' }).waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    const skeletons = page.locator('#main .mantine-Skeleton-root')
    await until('the view has its data', async () => (await skeletons.count()) === 0)
    await expectGerman(page, path)
  }
  await page.getByRole('button', { name: 'Menü' }).click()
  await page.getByRole('link', { name: 'Protokoll' }).waitFor()
  await expectGerman(page, 'the menu')
  await page.getByRole('button', { name: 'Abmelden' }).click()
  await page.getByRole('button', { name: 'Anmelden' }).waitFor()
  await until('the sign-in is laid out', async () => (await page.evaluate<string[]>(CUT)).length === 0)
  await expectGerman(page, 'the sign-in')
})

test('in German, prices have a comma, also in a file, a refusal is German, and days have points', async () => {
  const { petId } = await addPet(store(), 'Strolch', 3n)
  const page = await browser.open(store(), `/pets/${petId}`, { width: 390, locale: 'de-AT' })
  const dialog = page.getByRole('dialog')
  await page.getByRole('group', { name: 'Aktionen' }).getByRole('button', { name: 'Bearbeiten' }).click()
  await dialog.getByLabel('Preis (EUR)').fill('12,5x')
  await dialog.getByRole('button', { name: 'Speichern' }).click()
  await dialog.getByText('Geben Sie einen Betrag wie 12,50 ein').waitFor()
  await expectGerman(page, 'the form of a pet')
  await dialog.getByLabel('Preis (EUR)').fill('12,50')
  await dialog.getByRole('button', { name: 'Speichern' }).click()
  await page.getByText('Strolch wurde gespeichert.').waitFor()
  expect((await store().client.getPet({ petId })).data.price).toBe(1250n)

  await page.getByRole('group', { name: 'Aktionen' }).getByRole('button', { name: 'Verkaufen' }).click()
  await until(
    'the price is shown',
    async () => (await dialog.getByLabel(/Einzelpreis/).inputValue()) === '12,50',
  )
  await dialog.getByLabel('Stück').fill('9')
  await expectGerman(page, 'the sale')
  await dialog.getByRole('button', { name: 'Verkaufen', exact: true }).click()
  await dialog.getByText('Strolch: Es sind weniger Stück verkäuflich als verlangt.').waitFor()
  await dialog.getByText('Im Bestand: 3, reserviert: 0, verkäuflich: 3.').waitFor()
  await expectGerman(page, 'the refused sale')
  await dialog.getByLabel('Stück').fill('2')
  await dialog.getByRole('button', { name: 'Verkaufen', exact: true }).click()
  const note = page.getByRole('alert').filter({ hasText: 'Verkauft: 2 × Strolch' })
  expect(await note.innerText()).toMatch(/€\s25,00|25,00\s€/)
  await page.goto(`${store().base}/console/orders?day=today`)
  const [year, month, day] = new Date().toISOString().slice(0, 10).split('-')
  await page.getByText(new RegExp(`^${day}\\.${month}\\.${year}: Einnahmen`)).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV für Excel' }).click()
  const file = readFileSync(await (await download).path(), 'utf8')
  expect(file).toStartWith('\ufeffBestellung;Angelegt;Tier;Tiernummer;Stück;Zustand;')
  expect(file).toMatch(/;Strolch;\d+;2;abgeschlossen;.*;"?12,50"?;"?25,00"?;EUR;/)
})

test('the language is chosen in the menu and at the sign-in, is kept, and is that of a revoked key, too', async () => {
  const page = await browser.open(store(), '/keys')
  await page.getByRole('button', { name: 'Create key' }).waitFor()
  expect(await page.evaluate<string>('document.documentElement.lang')).toBe('en-US')
  await page.getByRole('button', { name: 'Language: English' }).click()
  await page.getByRole('menuitem', { name: 'Deutsch' }).click()
  await page.getByRole('button', { name: 'Schlüssel anlegen' }).click()
  expect(await page.evaluate<string>('document.documentElement.lang')).toBe('de')
  await page.getByRole('dialog').getByRole('button', { name: 'Schlüssel anlegen' }).click()
  await page.getByText('Name: Diese Angabe fehlt oder ist zu kurz.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const { data: own } = await store().client.createKey({ body: { name: 'Kasse', scopes: ['orders:read'] } })
  await page.goto(`${store().base}/console#key=${own.key}`)
  await page.getByRole('button', { name: 'Anderen Schlüssel verwenden' }).click()
  await page.getByText('Kasse').waitFor()
  await store().client.revokeKey({ keyId: own.id })
  // A request of the page itself may have ended the session already.
  const orders = page.getByRole('link', { name: 'Bestellungen' }).first()
  await orders.click({ timeout: 500 }).catch(() => {})
  await page.getByText('Der Schlüssel ist falsch, unbekannt, abgelaufen oder widerrufen.').waitFor()
  await page.getByRole('button', { name: 'Sprache: Deutsch' }).click()
  await page.getByRole('menuitem', { name: 'English' }).click()
  await page.getByText('Sign in with a key of this store.').waitFor()
})

test('in German, the notes and the problems of an imported file are German, and so are its columns', async () => {
  const page = await browser.open(store(), '/import', { width: 390, locale: 'de-DE' })
  const text = 'Artikel;Kategorie;Bestand;gesperrt\nWuschel;Hunde;viel;\nBello;Hunde;2;\nBello;Hunde;3;\n'
  const file = { name: 'tiere.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
  await page.locator('input[type=file]').nth(1).setInputFiles(file)
  await page.getByRole('checkbox', { name: /^Fehlende Kategorien anlegen/ }).check()
  await page.getByRole('button', { name: 'Prüfen' }).click()
  await page.getByText('1 Zeile kann nicht importiert werden').waitFor()
  await page.getByText('Bestand „viel“ muss eine ganze Zahl von 0 bis 1000000000 sein').waitFor()
  await page.getByText('„Artikel“ gilt als Name').waitFor()
  await page.getByText(/^tiere\.csv: 1 Zeile wiederholt Name und Kategorie/).waitFor()
  await expectGerman(page, 'the checked file')
  const picture = { name: 'tiere.png', mimeType: 'image/png', buffer: Buffer.from('\x89PNG', 'latin1') }
  await page.locator('input[type=file]').nth(1).setInputFiles(picture)
  await page.getByRole('button', { name: 'Prüfen' }).click()
  await page.getByText('tiere.png ist ein Bild: Speichern Sie die Tabelle als CSV').waitFor()
})

test('no price, state or button of a table is off the edge of a tablet', async () => {
  const { petId } = await addPet(store(), 'Schnuffel (Norwegischer Elchhund)', 5n)
  await store().client.updatePet({ petId, body: { price: 125_000n } })
  for (const reference of ['Frau Obermüller-Maierhofer', 'R-2026-0042'])
    await store().client.recordSale({ body: { lines: [{ petId }], reference } })
  const page = await browser.open(store(), '', { width: 820, locale: 'de-DE' })
  await page.getByRole('heading', { name: 'Übersicht' }).waitFor()
  for (const path of [
    '/pets',
    '/orders',
    '/inventory',
    '/orders?day=month',
    '/orders?day=month&show=lines',
  ]) {
    await page.goto(`${store().base}/console${path}`)
    await page.getByRole('table').getByText('Schnuffel').first().waitFor()
    const hidden = await page.evaluate<string[]>(`[...document.querySelectorAll('.cards [role=group]')]
      .filter(part => part.scrollWidth > part.clientWidth).map(part => part.getAttribute('aria-label'))`)
    expect([path, hidden]).toEqual([path, []])
  }
})
