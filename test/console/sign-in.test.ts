import { expect, test } from 'bun:test'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore } from '../support/shop.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { holdRequests } from './requests.ts'
import { addPet, keyWith } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

test('a sign-in link signs in and its key disappears from the address; signing out deletes the key', async () => {
  const page = await browser.open(store(), '/pets')
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/console/pets')
  await page.reload()
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('textbox', { name: 'Key' }).waitFor()
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
})

test('a page that is reloaded while it signs in uses the key of its link again, unless that is refused', async () => {
  const page = await browser.open(store(), '', { key: 'ps_unknown' })
  await page.getByText('The key is malformed: it is truncated or mistyped.').waitFor()
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  const hold = await holdRequests(page, request => request.url().endsWith('/keys/current'))
  await page.goto('about:blank')
  await page.goto(`${store().base}/console/pets#key=${ADMIN_KEY}`)
  await until('the key is tried', () => hold.held.length === 1)
  await page.reload()
  await until('the key is tried again', () => hold.held.length === 2)
  // A newer link takes the place of this one.
  const other = await keyWith(store(), 'orders:read')
  await page.goto('about:blank')
  await page.goto(`${store().base}/console/orders#key=${other}`)
  await until('the newer key is tried', () => hold.held.length === 3)
  hold.release()
  await page.getByText('orders:read', { exact: true }).waitFor()
  expect(await page.evaluate('Object.values(sessionStorage)')).toEqual([other])
})

test('a link is used again after a reload, although this computer keeps a key that was revoked', async () => {
  const { client } = store()
  const { data } = await client.createKey({ body: { name: 'kept', scopes: ['pets:write'] } })
  const page = await browser.open(store(), '/nowhere', { key: ADMIN_KEY })
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.evaluate(`localStorage.setItem('petstore-key ', ${JSON.stringify(data.key)})`)
  await client.revokeKey({ keyId: data.id })
  const hold = await holdRequests(page, request => request.url().endsWith('/keys/current'))
  await page.goto('about:blank')
  await page.goto(`${store().base}/console/pets#key=${ADMIN_KEY}`)
  await until('the kept key is tried', () => hold.held.length === 1)
  await page.reload()
  await until('it is tried again', () => hold.held.length === 2)
  hold.release()
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
})

test('a page that is reloaded while the store does not respond signs in by itself once it does', async () => {
  const page = await browser.open(store(), '/pets')
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  let isDown = true
  await page.route(/\/(keys\/current|readyz)$/, async route => {
    if (!isDown) await route.continue()
    // A proxy responds in place of the store.
    else if (route.request().url().endsWith('/readyz')) await route.fulfill({ status: 502 })
    else await route.abort()
  })
  await page.reload()
  await page.getByText('The store does not respond', { exact: true }).waitFor()
  await page.waitForResponse('**/readyz')
  isDown = false
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
})

test('for a wrong key, the field shows the message of the store; the right key signs in', async () => {
  const page = await browser.open(store(), '', { key: 'nonsense' })
  const field = page.getByRole('textbox', { name: 'Key' })
  await page.getByText('The key is malformed: it is truncated or mistyped.').waitFor()
  expect(await seriousViolations(page)).toEqual([])
  await field.fill(ADMIN_KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  expect(await seriousViolations(page)).toEqual([])
})

test('a key is kept for all tabs only if the user ticks that, until one of them signs out', async () => {
  const page = await browser.open(store(), '')
  const field = page.getByRole('textbox', { name: 'Key' })
  const keep = page.getByRole('checkbox', { name: 'Keep me signed in on this computer' })
  const stored = () => page.evaluate<string[]>('Object.values(localStorage)')
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('until you sign out. Everyone who uses your account on this computer').waitFor()
  expect(await keep.isChecked()).toBe(false)
  await field.fill(ADMIN_KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  expect(await stored()).not.toContain(ADMIN_KEY)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await field.fill(ADMIN_KEY)
  await keep.check()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  expect(await stored()).toContain(ADMIN_KEY)
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  // A new tab has no session of its own.
  const tab = await page.context().newPage()
  await tab.goto(`${store().base}/console/pets`)
  await tab.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  expect(await stored()).toContain(ADMIN_KEY)
  // Another key of a tab comes and goes without the kept one.
  const other = await keyWith(store(), 'orders:read')
  await tab.goto(`${store().base}/console/pets#key=${other}`)
  await tab.getByRole('button', { name: 'Use the other key' }).click()
  await tab.getByText('orders:read', { exact: true }).waitFor()
  await tab.getByRole('button', { name: 'Sign out' }).click()
  await field.waitFor({ state: 'detached' })
  expect(await stored()).toContain(ADMIN_KEY)
  await tab.reload()
  await tab.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  await tab.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You signed out in another tab.').waitFor()
  expect(await stored()).not.toContain(ADMIN_KEY)
  await page.reload()
  await field.waitFor()
})

test('a sign-in link with another key asks before it ends a session, and its key leaves the address', async () => {
  const key = await keyWith(store(), 'orders:read', 'orders:write')
  const page = await browser.open(store(), '/pets')
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  await page.goto(`${store().base}/console/pets#key=${key}`)
  const useOther = page.getByRole('button', { name: 'Use the other key' })
  await useOther.waitFor()
  expect(new URL(page.url()).hash).toBe('')
  expect(await seriousViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  await useOther.waitFor({ state: 'detached' })
  expect(await page.evaluate('Object.values(sessionStorage)')).toEqual([ADMIN_KEY])
  // A new page in the tab has the session of the tab, too.
  await page.goto('about:blank')
  await page.goto(`${store().base}/console/pets#key=${key}`)
  await useOther.click()
  await page.getByText('orders:read orders:write').waitFor()
  expect(new URL(page.url()).hash).toBe('')
  expect(await page.evaluate('Object.values(sessionStorage)')).toEqual([key])
  // A link with the key of the session asks nothing.
  await page.goto(`${store().base}/console/pets#key=${key}`)
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  expect(await useOther.count()).toBe(0)
  // If the user agrees to a wrong key, the session ends too.
  await page.goto(`${store().base}/console/pets#key=%zz`)
  await useOther.click()
  await page.getByText('The key is malformed: it is truncated or mistyped.').waitFor()
  expect(new URL(page.url()).hash).toBe('')
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
})

test('the sign-in page says why it refuses a link with a broken escape or a key that fits no header', async () => {
  const page = await browser.open(store(), '', { key: '%zz' })
  const field = page.getByRole('textbox', { name: 'Key' })
  await page.getByText('The key is malformed: it is truncated or mistyped.').waitFor()
  await until('the field has the focus', () => field.evaluate(input => input.matches(':focus')))
  for (const text of ['pst_0000\u2026', 'pst_\u200b0000']) {
    await field.fill(text)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This is not a key').waitFor()
    await field.fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The key is malformed: it is truncated or mistyped.').waitFor()
  }
})

test('without storage, the page signs in and keeps the key in its memory', async () => {
  const page = await browser.open(store(), '/pets')
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  await page.addInitScript(`
      for (const name of ['sessionStorage', 'localStorage'])
        Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError') } })
    `)
  await page.goto(`${store().base}/console/keys#key=${ADMIN_KEY}`)
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  await page.getByRole('link', { name: 'Pets', exact: true }).click()
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('textbox', { name: 'Key' }).waitFor()
})

test('a sign-in link signs in without a question if the key of the tab is refused', async () => {
  const { client } = store()
  const { data } = await client.createKey({ body: { name: 'old', scopes: ['pets:write'] } })
  const page = await browser.open(store(), '/pets', { key: data.key })
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  await page.goto('about:blank')
  await client.revokeKey({ keyId: data.id })
  await page.goto(`${store().base}/console/pets#key=${ADMIN_KEY}`)
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Use the other key' }).count()).toBe(0)
  expect(await page.evaluate('Object.values(sessionStorage)')).toEqual([ADMIN_KEY])
})

test('after a sign-out, nothing of that session can undo a sale or end the next session', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), 'Sold before', 5n)
  const { data: till } = await client.createKey({
    body: { name: 'till', scopes: ['orders:write', 'orders:read'] },
  })
  const page = await browser.open(store(), `/pets/${petId}`, { key: till.key })
  const sell = async () => {
    await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sell', exact: true }).click()
  }
  await sell()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  const hold = await holdRequests(page, request => request.url().includes('/returns'))
  await undo.click()
  await until('the return is sent', () => hold.held.length === 1)
  await client.revokeKey({ keyId: till.id })
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('textbox', { name: 'Key' }).fill(ADMIN_KEY)
  expect(await undo.count()).toBe(0)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sold before' }).waitFor()
  const refused = page.waitForResponse(response => response.status() === 401)
  hold.release()
  await refused
  await page.getByRole('link', { name: 'Categories' }).click()
  await page.getByRole('heading', { name: 'Categories' }).waitFor()
  expect(await page.evaluate('Object.values(sessionStorage)')).toEqual([ADMIN_KEY])
  expect(await page.getByText('was not taken back').count()).toBe(0)
})

test('a revoked key ends the session, and the sign-in page says why', async () => {
  const { client } = store()
  const { data } = await client.createKey({ body: { name: 'short-lived', scopes: ['pets:write'] } })
  const page = await browser.open(store(), '/pets', { key: data.key })
  await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  await client.revokeKey({ keyId: data.id })
  // No request comes between the refusal and the sign-in: meanwhile, each part of the view would show the refusal.
  const hold = await holdRequests(page, request => request.url().endsWith('/keys/current'))
  const signedOut = page.getByText('You were signed out')
  await until('the session has ended', async () => {
    // A request of the page itself may have ended the session already.
    await page
      .getByRole('link', { name: 'Categories' })
      .click({ timeout: 500 })
      .catch(() => {})
    return signedOut.isVisible()
  })
  hold.release()
  await page.getByText('The key is unknown or was revoked.').waitFor()
  expect(await seriousViolations(page)).toEqual([])
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  await page.getByRole('textbox', { name: 'Key' }).fill(ADMIN_KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  // The user returns to the view that was open.
  await page.getByRole('heading', { name: /^(Pets|Categories)$/ }).waitFor()
})
