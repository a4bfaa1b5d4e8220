import { expect, test } from 'bun:test'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { addPet, keyWith } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

test('a new key is shown only once, and works until it is revoked', async () => {
  const page = await browser.open(store(), '/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByText('If empty, the key never expires').waitFor()
  // The fields show the messages of the store.
  await dialog.locator('.mantine-InputWrapper-error').first().waitFor()
  expect(await seriousViolations(page)).toEqual([])
  await dialog.getByLabel('Name').fill('till 2')
  const ticked = () =>
    dialog
      .getByRole('checkbox', { checked: true })
      .evaluateAll(boxes => boxes.map(box => box.getAttribute('value')))
  await dialog.getByRole('button', { name: 'Everything' }).click()
  expect(await ticked()).toEqual(['admin'])
  await dialog.getByRole('button', { name: 'Accountant (read only)' }).click()
  expect(await ticked()).toEqual(['orders:read', 'inventory:read', 'events:read', 'audit:read'])
  await dialog.getByRole('button', { name: 'Warehouse (stock)' }).click()
  expect(await ticked()).toEqual([
    'orders:read',
    'orders:write',
    'inventory:read',
    'inventory:write',
    'events:read',
  ])
  await dialog.getByRole('button', { name: 'Till (sell and look)' }).click()
  await dialog.getByRole('checkbox', { name: 'events:read' }).uncheck()
  expect(await ticked()).toEqual(['orders:read', 'orders:write'])
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const secret = (await page.getByTestId('secret').textContent()) ?? ''
  expect(await seriousViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Done' }).click()
  const status = async (): Promise<number> =>
    (await store().send('GET', '/store/orders', { headers: { Authorization: `Bearer ${secret}` } })).status
  expect(await status()).toBe(200)
  await page.getByRole('button', { name: 'Revoke till 2' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Key revoked').waitFor()
  expect(await status()).toBe(401)
  expect(await page.content()).not.toContain(secret)
})

test('before the last lasting admin key, or the key of the page, is revoked, the dialog warns of that', async () => {
  await using shop = await openTestStore('sqlite')
  const page = await browser.open(shop, '/keys')
  const dialog = page.getByRole('dialog')
  const own = page.getByRole('row', { name: 'this page' }).getByRole('button', { name: /^Revoke/ })
  await own.click()
  await dialog.getByText('This is the last admin key that does not expire').waitFor()
  await dialog.getByText('You will be signed out').waitFor()
  expect(await seriousViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByText('admin (environment) is the last admin key without an expiry.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const expiresAt = '2200-01-01T00:00:00Z'
  await shop.client.createKey({ body: { name: 'Expiring', scopes: ['admin'], expiresAt } })
  await own.click()
  await dialog.getByText('This is the last admin key that does not expire').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await shop.client.createKey({ body: { name: 'Second', scopes: ['admin'] } })
  await page.reload()
  await page.getByRole('button', { name: 'Revoke Second' }).click()
  await dialog.getByText('The store will refuse every program').waitFor()
  expect(await dialog.getByRole('alert').count()).toBe(0)
  await page.close()
})

test.each([
  ['a page without HTTPS', true],
  ['a secure page whose clipboard is blocked', false],
] as const)('a new key is copied on %s, and a failure to copy is reported', async (_, isInsecure) => {
  const page = await browser.open(store(), '/keys', { isInsecure })
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('spare')
  await dialog.getByRole('checkbox', { name: 'orders:read' }).check()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const secret = (await page.getByTestId('secret').textContent()) ?? ''
  await page.evaluate(`document.addEventListener('copy', () => {
      globalThis.copiedText = String(getSelection())
    })`)
  if (!isInsecure)
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('blocked'))")
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate<string>('copiedText')).toBe(secret)
  await page.evaluate('document.execCommand = () => false')
  await page.getByRole('button', { name: 'Copied' }).click()
  await page.getByText('The browser does not allow copying.').waitFor()
  expect(await page.evaluate<string>('String(getSelection())')).toBe(secret)
  expect(await seriousViolations(page)).toEqual([])
})

test('a new webhook at an unknown host is saved with a warning, and its delivery says why it fails', async () => {
  await using own = await openTestStore('sqlite', {
    delivery: { resolve: () => Promise.reject(new Error('ENOTFOUND')) },
  })
  const page = await browser.open(own, '/webhooks')
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill('https://till.exmaple/events')
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  await page
    .getByText('The host till.exmaple could not be resolved. Deliveries to it fail until it can.')
    .waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'https://till.exmaple/events' }).click()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByRole('cell', { name: /The host till\.exmaple could not be resolved in/ }).waitFor()
  await page.close()
})

test('a webhook is created and tested, its page shows the delivery, and it is disabled', async () => {
  const received: string[] = []
  const receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      received.push(await request.text())
      return new Response('thank you')
    },
  })
  const page = await browser.open(store(), '/webhooks')
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill('ftp://nowhere')
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  await dialog.locator('.mantine-InputWrapper-error').waitFor()
  await dialog.getByLabel('Address').fill(`http://127.0.0.1:${receiver.port}/events`)
  await dialog.getByRole('button', { name: 'Add webhook' }).click()
  await page.getByText('shown only once').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: `http://127.0.0.1:${receiver.port}/events` }).click()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('The test event was created.').waitFor()
  await page.getByRole('cell', { name: /HTTP 200/ }).waitFor()
  expect(received.join()).toContain('petstore.webhook.test')
  expect(await seriousViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('disabled').waitFor()
  await page.close()
  await receiver.stop(true)
})

test('the audit log is a diary: days with sentences, the name of each key, and the JSON behind Details', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), 'Diarist', 5n)
  const { data: order } = await client.placeOrder({ body: { petId, quantity: 5n } })
  await client.cancelOrder({ orderId: order.id ?? 0n })
  await client.updatePet({ petId, body: { status: 'pending' } })
  await client.createKey({ body: { name: 'Key of the diary', scopes: ['orders:read'] } })
  const page = await browser.open(store(), '/audit')
  await page.getByText('The key Key of the diary was created.').waitFor()
  const today = new Date().toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' })
  await page.getByRole('rowheader', { name: today }).waitFor()
  const held = page.getByRole('row', { name: /Diarist was put on hold\./ })
  await held.getByRole('cell', { name: 'admin (environment)' }).waitFor()
  const json = held.getByText('"status":"pending"')
  expect(await json.isVisible()).toBe(false)
  await held.getByText('Details').click()
  await json.waitFor()
  await page.getByText('Diarist has 5 units in stock and is on hold.').waitFor()
  await page.getByText('Diarist has 5 units in stock, 5 reserved, and is all reserved.').waitFor()
  expect(await seriousViolations(page)).toEqual([])
  await page.getByRole('textbox', { name: 'Order' }).fill(String(order.id))
  await held.waitFor({ state: 'detached' })
  const sentences = page.locator('.sentence')
  await until('only the order is listed', async () => (await sentences.count()) === 2)
  expect(await sentences.allInnerTexts()).toEqual([
    `Order ${order.id} was cancelled for Diarist, 5 units.`,
    `Order ${order.id} was placed for Diarist, 5 units.`,
  ])
  await page.getByRole('textbox', { name: 'Order' }).fill('')
  await page.getByText('The key Key of the diary was created.').waitFor()
  await page.getByRole('combobox', { name: 'Pet', exact: true }).fill('Diar')
  await page.getByRole('option', { name: 'Diarist' }).click()
  await page.getByText('The key Key of the diary was created.').waitFor({ state: 'detached' })
  await held.waitFor()
  await client.deletePet({ petId })
  // The diary of a pet remains after the pet.
  await page.reload()
  await page.getByText('Diarist was deleted.').waitFor()
  expect(new URL(page.url()).search).toBe(`?petId=${petId}`)
})

test('a view that the key may not read says which scope it needs', async () => {
  const key = await keyWith(store(), 'orders:read')
  const page = await browser.open(store(), '/audit', { key, width: 390, colorScheme: 'dark' })
  await page.getByText('The view needs the scope audit:read').waitFor()
  expect(await seriousViolations(page)).toEqual([])
})

test('an import lists its invalid lines, and loads nothing until every line is valid', async () => {
  const { client } = store()
  const page = await browser.open(store(), '/import')
  const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  const inputs = page.locator('input[type=file]')
  await inputs.nth(0).setInputFiles(file('categories.csv', 'name\nImported\n'))
  const wrong = 'name,category,quantity\nRex,Imported,2\n,Imported,1\nIda,Nowhere,1\nMax,Imported,x\n'
  await inputs.nth(1).setInputFiles(file('pets.csv', wrong))
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('3 lines cannot be imported').waitFor()
  expect(await page.getByRole('table', { name: 'Problems' }).innerText()).toMatch(
    /Pets\t3\t.*\nPets\t4\tthere is no category "Nowhere"/,
  )
  expect(await page.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true)
  expect(await seriousViolations(page)).toEqual([])
  await inputs.nth(1).setInputFiles(file('pets.csv', 'name,category,quantity\nRex,Imported,2\n'))
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('Every line is valid').waitFor()
  expect((await client.listPets({ name: 'Rex' })).data.items).toEqual([])
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByText('1 new category and 1 pet were loaded.').waitFor()
  expect((await client.listPets({ name: 'Rex' })).data.items).toHaveLength(1)
})
