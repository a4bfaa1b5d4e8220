import { expect, test } from 'bun:test'
import { sharedStore } from '../support/shop.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { seriousViolations } from './accessibility.ts'
import { consoleBrowser, TIMEOUT_MS } from './console-session.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

test(
  'the link of the start signs in, and its key disappears from the address',
  async () => {
    const { page, faults } = await browser.open(store(), '/pets')
    await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/console/pets')
    await page.reload()
    await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('textbox', { name: 'Key' }).waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'a wrong key shows the message of the store at its field, and the right key signs in',
  async () => {
    const { page, faults } = await browser.open(store(), '', { key: 'nonsense' })
    const field = page.getByRole('textbox', { name: 'Key' })
    await page.getByText('The key is malformed: it is truncated or mistyped.').waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await field.fill(ADMIN_KEY)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    expect(await seriousViolations(page)).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)
