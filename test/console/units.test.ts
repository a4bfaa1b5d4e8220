import { expect, test } from 'bun:test'
import { sharedStore } from '../support/shop.ts'
import { seriousViolations } from './accessibility.ts'
import { consoleBrowser, TIMEOUT_MS } from './console-session.ts'
import { addPet } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

test(
  'a field for a number of units keeps a text that is not a whole number, says so, and sends no other number',
  async () => {
    const { petId } = await addPet(store(), 'Numbered', 4n)
    const { page, faults } = await browser.open(store(), `/pets/${petId}`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Set stock' }).click()
    const field = dialog.getByRole('textbox', { name: 'On hand' })
    for (const text of ['1e5', '1,50', '1.5', '0x10', '1 000', '١٢', '9223372036854775808']) {
      await field.fill(text)
      await dialog.getByText('Enter a whole number with digits only').waitFor()
      expect(await field.inputValue()).toBe(text)
    }
    const refusal = page.waitForResponse(response => response.status() === 422)
    await dialog.getByRole('button', { name: 'Set stock' }).click()
    await refusal
    expect((await store().client.getInventoryItem({ petId })).data.quantity).toBe(4n)
    expect(await seriousViolations(page)).toEqual([])
    await field.fill(' 12 ')
    await dialog.getByText('Enter a whole number').waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Set stock' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await store().client.getInventoryItem({ petId })).data.quantity).toBe(12n)
    await page.goto(`${store().base}/console/inventory`)
    const limit = page.getByRole('textbox', { name: 'On hand, at most' })
    await limit.fill('-1')
    await page.getByText('Enter a whole number with digits only, such as 12.').waitFor()
    await limit.fill('12')
    await page.waitForURL('**/inventory?atMost=12')
    await page.getByText('Enter a whole number').waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)
