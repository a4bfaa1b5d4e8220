import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { seriousViolations } from '../support/accessibility.ts'
import { ROOT } from '../support/root.ts'
import { openSandboxHost, type TestSandbox } from '../support/sandbox-host.ts'
import { openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { holdRequests } from './requests.ts'

const [, source = ''] = readFileSync(join(ROOT, 'src/console/views/views.ts'), 'utf8').split('sandboxViews')
/** The paths of the views that only a sandbox has. */
const paths = [...source.matchAll(/\['([^']+)', async/g)].map(([, path = '']) => path)

const browser = consoleBrowser()
const host = await openSandboxHost()
afterAll(() => host[Symbol.asyncDispose]())

async function open(
  path: string,
  width = 1440,
  label = 'Ada',
): Promise<{ page: Page; sandbox: TestSandbox }> {
  const sandbox = await host.create({ label })
  const { baseUrl, adminKey } = sandbox.created
  return { page: await browser.open({ base: baseUrl }, path, { key: adminKey, width }), sandbox }
}

describe('the console of a sandbox:', () => {
  test('requests are shown as they arrive, newest first, with their headers and bodies', async () => {
    const { page, sandbox } = await open('/requests')
    await page.getByText('Requests to the sandbox appear here').waitFor()
    await sandbox.call('POST', '/categories', { body: { name: 'Otters' } })
    await sandbox.call('GET', '/pets/404404')
    // A request of the lesson is one of the student; those of the console are hidden.
    const lesson = {
      Referer: `${sandbox.created.baseUrl}/docs/guide/lesson`,
      'Sec-Fetch-Site': 'same-origin',
    }
    await sandbox.call('GET', '/pets', {
      headers: { 'Petstore-Fault': 'error; code=overloaded', ...lesson },
    })
    const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr')
    await until('three requests are shown', async () => (await rows.count()) === 3)
    const texts = await rows.allInnerTexts()
    for (const [index, expected] of ['503', '404', '201'].entries()) expect(texts[index]).toContain(expected)
    expect(texts[0]).toContain('overloaded')
    await page.getByRole('button', { name: '/categories' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('"name": "Otters"').first().waitFor()
    expect(await dialog.innerText()).toContain('authorization: Bearer pst_***')
    expect(await dialog.innerText()).not.toContain(sandbox.created.adminKey)
    expect(await seriousViolations(page)).toEqual([])
  })

  test('requests are filtered by method, status and path, and the log can be paused and cleared', async () => {
    const { page, sandbox } = await open('/requests')
    await sandbox.call('POST', '/categories', { body: { name: 'Otters' } })
    await sandbox.call('GET', '/pets/404404')
    const rows = page.getByRole('table', { name: 'Requests' }).locator('tbody tr')
    const shown = (count: number): Promise<void> =>
      until(`${count} requests are shown`, async () => (await rows.count()) === count)
    await shown(2)
    const path = page.getByLabel('Path contains')
    await path.fill('categor')
    await shown(1)
    await path.fill('')
    for (const [label, choice, count] of [
      ['Method', 'POST', 1],
      ['Status', '4xx refused', 0],
      ['Method', 'GET', 1],
    ] as const) {
      await page.getByRole('combobox', { name: label }).click()
      await page.getByRole('option', { name: choice }).click()
      await shown(count)
    }
    await page.getByRole('button', { name: 'Pause' }).click()
    await sandbox.call('GET', '/pets/404405')
    // If the list were not paused, the entry would appear within a few milliseconds.
    await Bun.sleep(500)
    expect(await rows.count()).toBe(1)
    await page.getByRole('button', { name: 'Continue' }).click()
    await shown(2)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('Requests to the sandbox appear here').waitFor()
  })

  test('a failure is added from a template, shows how often it was applied, and is removed', async () => {
    const { page, sandbox } = await open('/failures')
    await page.getByText('No failures').waitFor()
    await page.getByRole('button', { name: 'Add a failure' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Operation' }).click()
    await page.getByRole('option', { name: 'listPets', exact: true }).click()
    await dialog.getByRole('combobox', { name: 'When' }).click()
    await page.getByRole('option', { name: 'Every n-th call' }).click()
    await dialog.getByLabel('Number').fill('2')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('cell', { name: 'Every 2 calls' }).waitFor()
    const { data } = await sandbox.callHost('GET', '/faults')
    expect(data).toMatchObject({ rules: [{ name: 'full', operation: 'listPets', when: { every: 2n } }] })
    const responses = [await sandbox.call('GET', '/pets'), await sandbox.call('GET', '/pets')]
    expect(responses.map(({ status }) => status)).toEqual([200, 503])
    const row = page.getByRole('table', { name: 'Failures' }).locator('tbody tr')
    await until('the counts are shown', async () => /\b2\s+1\b/.test(await row.innerText()))
    expect(await seriousViolations(page)).toEqual([])
    await row.getByRole('button', { name: 'Remove full' }).click()
    await page.getByText('No failures').waitFor()
    expect((await sandbox.call('GET', '/pets')).status).toBe(200)
  })

  test('a fault is planted, its wrong responses are counted, and a hunt shows none', async () => {
    const { page, sandbox } = await open('/failures')
    await page.getByRole('button', { name: 'Plant faults' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Faults' }).fill('location-miss')
    await page.getByRole('option', { name: /^location-missing: A creation/ }).click()
    await page.keyboard.press('Tab')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('table', { name: 'Planted faults' }).locator('tbody tr')
    await row.waitFor()
    const { headers } = await sandbox.call('POST', '/categories', { body: { name: 'Otters' } })
    expect(headers.get('location')).toBeNull()
    await until('the wrong response is counted', async () => /\b1$/.test(await row.innerText()))
    expect(await seriousViolations(page)).toEqual([])
    await sandbox.callHost('POST', '/hunt', { seed: 1 })
    await page.getByText('A hunt is on').waitFor()
    expect(await row.count()).toBe(0)
  })

  test('the sandbox is reset to a snapshot and to its seed, and its lifecycle clock is set', async () => {
    const { page, sandbox } = await open('/sandbox')
    const categories = async (): Promise<number> =>
      JSON.parse((await sandbox.call('GET', '/categories')).text).length
    const add = (name: string) => sandbox.call('POST', '/categories', { body: { name } })
    const first = await categories()
    await page.getByText('never reset').waitFor()
    await page.getByText('At most 50 lower-case letters, digits and hyphens').waitFor()
    await add('Otters')
    await page.getByLabel('Name').fill('lesson-1')
    await page.getByRole('button', { name: 'Take a snapshot' }).click()
    await page.getByRole('button', { name: 'Delete snapshot lesson-1' }).waitFor()
    await add('Ferrets')
    const dialog = page.getByRole('dialog')
    for (const [button, left, resets] of [
      ['Reset to snapshot lesson-1', first + 1, 'reset once'],
      ['Reset', first, 'reset 2 times'],
    ] as const) {
      await page.getByRole('button', { name: button, exact: true }).click()
      await dialog.getByRole('button', { name: 'Reset', exact: true }).click()
      await dialog.waitFor({ state: 'hidden' })
      expect(await categories()).toBe(left)
      await page.getByText(resets).waitFor()
    }
    await page.getByLabel('New time').fill('2028-06-01T12:00')
    await page.getByRole('button', { name: 'Set the clock' }).click()
    await page.getByText(/It is .*2028/).waitFor()
    expect((await sandbox.call('GET', '/pets/1')).status).toBe(410)
    expect(await seriousViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Return to the real time' }).click()
    await until('the clock is real', async () => (await sandbox.call('GET', '/pets/1')).status === 200)
    await page.getByRole('button', { name: 'Delete snapshot lesson-1' }).click()
    await page.getByRole('button', { name: 'Delete snapshot lesson-1' }).waitFor({ state: 'hidden' })
  })

  test('after a reset, the page follows the events of the new shop, and shows none of the old one', async () => {
    const { page, sandbox } = await open('')
    const other = await browser.open({ base: sandbox.created.baseUrl }, '', {
      key: sandbox.created.adminKey,
      tabOf: page,
    })
    const feeds = [page, other].map(tab => tab.getByRole('region', { name: 'Live events' }))
    const counts = async (name: string): Promise<number[]> =>
      await Promise.all(feeds.map(feed => feed.getByText(name).count()))
    const add = async (name: string): Promise<boolean> => {
      await sandbox.call('POST', '/categories', { body: { name } })
      return (await counts(name)).every(count => count > 0)
    }
    const setHidden = async (isHidden: boolean): Promise<void> =>
      await other.evaluate(`{
        Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }`)
    // Less than the time after which a page without a stream polls.
    const limitMs = 15_000
    await until('both tabs follow the events', () => add('Otters'), limitMs)
    await setHidden(true)
    await sandbox.callHost('POST', '/reset', {})
    await until('the visible tab shows no old event', async () => (await counts('Otters'))[0] === 0, limitMs)
    await setHidden(false)
    await until('both tabs follow the new events', () => add('Ferrets'), limitMs)
    await until('no tab shows an old event', async () => String(await counts('Otters')) === '0,0', limitMs)
  })

  test('a failure or fault is added only once those that are there were read', async () => {
    const { page } = await open('/sandbox')
    const hold = await holdRequests(page, request => /\/(faults|report)$/.test(request.url()))
    await page.getByRole('link', { name: 'Failures' }).click()
    const buttons = ['Add a failure', 'Plant faults'].map(name => page.getByRole('button', { name }))
    await until('both are asked for', () => hold.held.length === 2)
    for (const button of buttons) expect(await button.isDisabled()).toBe(true)
    hold.release()
    for (const button of buttons) await until('it is read', () => button.isEnabled())
  })

  test('the page of a sandbox that was deleted says so, and not that the store may be restarting', async () => {
    const { page, sandbox } = await open('/pets')
    await page.getByRole('heading', { name: 'Pets' }).waitFor()
    await sandbox.callHost('DELETE', '')
    await page.getByText('This sandbox no longer exists').waitFor()
    expect(await page.getByText('It may be restarting').count()).toBe(0)
  })

  test('if the user stops waiting for a reset, the page says that the reset may have taken effect', async () => {
    const { page } = await open('/sandbox')
    const hold = await holdRequests(page, request => request.url().endsWith('/reset'))
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Reset', exact: true }).click()
    await dialog.getByRole('button', { name: 'Reset', exact: true }).click()
    await until('the request is sent', () => hold.held.length === 1)
    await dialog.getByRole('button', { name: 'Stop waiting' }).click()
    await dialog.getByText('The change may have been made, and another one would be made too.').waitFor()
    expect(await page.getByText('does not respond').count()).toBe(0)
    hold.release()
  })

  test('the header and the title show the label of the sandbox, or else the start of its id', async () => {
    const { page, sandbox } = await open('/pets')
    await page.getByRole('banner').getByText('Ada', { exact: true }).waitFor()
    await until('the title has the label', async () => (await page.title()) === 'Pets · Ada · Petstore')
    await page.close()
    const other = await open('/pets', 390, '')
    const start = other.sandbox.created.id.slice(0, 6)
    await other.page.getByRole('banner').getByText(start, { exact: true }).waitFor()
    const name = `document.querySelector('header [title="${start}"]')`
    expect(await other.page.evaluate(`${name}.scrollWidth <= ${name}.clientWidth`)).toBe(true)
    await until(
      'the title has the id',
      async () => (await other.page.title()) === `Pets · ${start} · Petstore`,
    )
    await sandbox.callHost('PATCH', '', { label: 'W'.repeat(100) })
    await other.page.goto('about:blank')
    await other.page.goto(`${sandbox.created.baseUrl}/console#key=${sandbox.created.adminKey}`)
    await other.page.getByRole('banner').getByText('WWW').waitFor()
    const box = await other.page.getByRole('button', { name: 'Sign out' }).boundingBox()
    expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThan(390)
    expect(await other.page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })

  test('the sign-in page says where the key of a sandbox is, and to what a refused key may belong', async () => {
    const { page, sandbox } = await open('/pets')
    const other = await host.create({ seed: 'empty' })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('A lost key cannot be shown again').waitFor()
    expect(await page.locator('main').innerText()).not.toContain('reset-admin')
    await page.getByRole('textbox', { name: 'Key' }).fill(other.created.adminKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The key may belong to another sandbox.').waitFor()
    await page.getByRole('textbox', { name: 'Key' }).fill(sandbox.created.adminKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Pets' }).waitFor()
  })

  test('with another key of the sandbox, the views say which key they need, and the user stays signed in', async () => {
    const { page, sandbox } = await open('/sandbox')
    await page.getByRole('heading', { name: 'Sandbox' }).waitFor()
    const { data } = await sandbox.call('POST', '/keys', { body: { name: 'other', scopes: ['admin'] } })
    const key = String(typeof data === 'object' && data !== null && Reflect.get(data, 'key'))
    await page.goto('about:blank')
    await page.goto(`${sandbox.created.baseUrl}/console/sandbox#key=${key}`)
    await page.getByRole('button', { name: 'Use the other key' }).click()
    await page.getByText('needs the key that was created with the sandbox').first().waitFor()
    await page.getByRole('link', { name: 'Pets', exact: true }).click()
    await page.getByRole('heading', { name: 'Pets' }).waitFor()
  })

  test('on a narrow screen, the views do not scroll sideways', async () => {
    const { page, sandbox } = await open('/sandbox', 390)
    await page.getByRole('heading', { name: 'Sandbox' }).waitFor()
    await sandbox.callHost('PUT', '/snapshots/lesson-1')
    await sandbox.callHost('PUT', '/faults', {
      rules: [{ name: 'slow', effect: { type: 'delay', delayMs: 1 } }],
    })
    for (const path of paths) {
      await page.goto(`${sandbox.created.baseUrl}/console${path}`)
      // Until the key is checked, the page is that of the sign-in.
      await page.getByRole('banner').waitFor()
      await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    }
  })

  test('a sandbox has the pages of its views, and a shop does not', async () => {
    await using store = await openTestStore('sqlite')
    const sandbox = await host.create({ seed: 'empty' })
    expect(paths).toEqual(['/requests', '/failures', '/sandbox'])
    for (const path of ['', ...paths]) {
      const inSandbox = await fetch(`${sandbox.created.baseUrl}/console${path}`)
      expect([path, inSandbox.status]).toEqual([path, 200])
      const meta = `<meta name="petstore-host-api" content="/sandboxes/${sandbox.created.id}">`
      expect(await inSandbox.text()).toContain(meta)
      const inShop = await fetch(`${store.base}/console${path}`)
      expect([path, inShop.status]).toEqual([path, path === '' ? 200 : 404])
      expect(await inShop.text()).not.toContain('petstore-host-api')
    }
  })
})
