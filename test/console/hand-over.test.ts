import { expect, test } from 'bun:test'
import jsQR from 'jsqr'
import type { Page } from 'playwright-core'
import { newCode } from '../../src/shop/keys/key-text.ts'
import { seriousViolations } from '../support/accessibility.ts'
import { INSECURE_HOST } from '../support/browser.ts'
import { sharedStore, stockOf } from '../support/shop.ts'
import { consoleBrowser } from './console-session.ts'
import { addPet, isTooWide, keyWith } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()
const phone = { width: 390, isInsecure: true } as const
const REFUSED = 'This code was used or is older than ten minutes. Ask for a new one.'

/** Creates a key for a till as the owner does. */
async function createKey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Till (sell and look)' }).click()
  await dialog.getByRole('button', { name: 'Create key' }).click()
}

/** Returns the text of the QR code on a page, as a phone reads it from the screen. */
async function scan(page: Page): Promise<string | undefined> {
  const image = await page.getByRole('img', { name: 'QR code of the link' }).screenshot()
  const [data, width, height] = await page.evaluate<[number[], number, number]>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${image.toString('base64')}'
    await image.decode()
    const canvas = document.createElement('canvas')
    const { width, height } = Object.assign(canvas, { width: image.width, height: image.height })
    const drawing = canvas.getContext('2d')
    drawing.drawImage(image, 0, 0)
    return [[...drawing.getImageData(0, 0, width, height).data], width, height]
  })()`)
  return jsQR(Uint8ClampedArray.from(data), width, height)?.data
}

async function codeFor(key: string): Promise<string> {
  return (await store().client.handOverKey({ body: { key } })).data.code
}

test('the owner makes a key, and an employee scans its code, is signed in once, and sells with it', async () => {
  const { petId } = await addPet(store(), 'Handed over', 5n)
  const owner = await browser.open(store(), '/keys', phone)
  await createKey(owner, 'Phone of Mia')
  const link = await owner.getByTestId('link').innerText()
  expect(await scan(owner)).toBe(link)
  const [address = '', code = ''] = link.split('#key=')
  expect(address).toBe(`${store().base.replace('127.0.0.1', INSECURE_HOST)}/console`)
  expect([await isTooWide(owner), await seriousViolations(owner)]).toEqual([false, []])
  const employee = await browser.open(store(), '', { ...phone, key: code })
  const secret = await owner.getByTestId('secret').innerText()
  await employee.getByRole('button', { name: 'Sell', exact: true }).click()
  const dialog = employee.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Pet' }).fill('Handed over')
  await employee.getByRole('option', { name: 'Handed over' }).click()
  await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
  await employee.getByText('Sold: 1 × Handed over').waitFor()
  expect(await stockOf(store().client, petId)).toBe('available 4/0')
  expect(await employee.getByText('Keys', { exact: true }).count()).toBe(0)
  // The code is neither in the address nor in the history, and the key stays on the phone, which closes tabs itself.
  expect(employee.url()).toBe(`${address}`)
  expect(await employee.evaluate('Object.values(localStorage)')).toContain(secret)
  await employee.goBack()
  expect(employee.url()).toBe('about:blank')
  const thief = await browser.open(store(), '', { ...phone, key: code })
  await thief.getByText(REFUSED).waitFor()
  expect(await seriousViolations(thief)).toEqual([])
})

test('the page says that it signs in, and that a response was lost; a new code signs in', async () => {
  const key = await keyWith(store(), 'orders:read')
  const page = await browser.open(store(), '', { width: 390, key: newCode() })
  await page.getByText(REFUSED).waitFor()
  expect(page.url()).not.toContain('#')
  const arrived = Promise.withResolvers<void>()
  await page.route('**/keys/claims', async route => {
    await route.fetch()
    await arrived.promise
    await route.abort('connectionreset')
  })
  await page.goto(`${page.url()}#key=${await codeFor(key)}`)
  await page.getByText('Signing in…').waitFor()
  expect(page.url()).not.toContain('#')
  arrived.resolve()
  await page.getByText('The answer of the store was lost, so the code may be used up.').waitFor()
  await page.unroute('**/keys/claims')
  // The next request is lost, too. The code is used by then.
  let isDown = true
  await page.route('**/keys/current', route => (isDown ? route.abort() : route.continue()))
  await page.goto(`${page.url()}#key=${await codeFor(key)}`)
  await page.getByText('The store does not respond', { exact: true }).waitFor()
  isDown = false
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
})

test('a code asks before it ends a session, and stays unused if the user declines', async () => {
  const code = await codeFor(await keyWith(store(), 'orders:read'))
  const page = await browser.open(store(), '/pets', phone)
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  await page.goto(`${page.url()}#key=${code}`)
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  await page.goto(`${page.url()}#key=${code}`)
  await page.getByRole('button', { name: 'Use the other key' }).click()
  await page.getByRole('button', { name: 'Create key' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  expect(await page.getByRole('button', { name: 'Use the other key' }).count()).toBe(0)
})

test('at an address that only this computer can open, there is no code, and the page says what to set', async () => {
  const page = await browser.open(store(), '/keys')
  await createKey(page, 'No phone')
  await page.getByText('There is no code for a phone').waitFor()
  await page.getByText('PETSTORE_BASE_URL').waitFor()
  expect(await page.getByRole('img', { name: 'QR code of the link' }).count()).toBe(0)
})
