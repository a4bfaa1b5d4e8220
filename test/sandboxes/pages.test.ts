import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import jsQR from 'jsqr'
import type { Browser, BrowserContext, Locator, Page, Route } from 'playwright-core'
import { cardsPage } from '../../src/sandboxes/pages/cards-page.ts'
import { landingPage } from '../../src/sandboxes/pages/landing-page.ts'
import { noSandboxPage, printPage } from '../../src/sandboxes/pages/print-page.ts'
import { seriousViolations } from '../support/accessibility.ts'
import { INSECURE_HOST, launchBrowser } from '../support/browser.ts'
import { ROOT } from '../support/root.ts'
import { openSandboxHost, type TestSandbox } from '../support/sandbox-host.ts'

const KEY = /^pst_[0-9A-Za-z]{49}$/

interface WatchedPage {
  readonly page: Page
  /** The requests to another host, and the errors and warnings of the page, such as violations of its policy. */
  readonly faults: string[]
}

/** The result of a command as the page shows it. */
interface CommandResult {
  readonly status: number
  readonly text: string
}

const browser = await launchBrowser()
const host = await openSandboxHost({ limits: { createdPerHour: 1000 } })

describe('the pages of a host in a real browser', () => {
  const contexts: BrowserContext[] = []
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })
  afterAll(async () => {
    await browser.close()
    await host[Symbol.asyncDispose]()
  })

  /** Opens a context, which is closed after the test. */
  async function newContext(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    contexts.push(context)
    return context
  }

  async function open(context: BrowserContext, url: string): Promise<WatchedPage> {
    const page = await context.newPage()
    const faults: string[] = []
    page.on('request', request => {
      const isLocal = request.url().startsWith(host.base) || request.url().startsWith('data:')
      if (!isLocal) faults.push(`it requested ${request.url()}`)
    })
    page.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
    })
    page.on('pageerror', error => faults.push(error.message))
    await page.goto(url)
    return { page, faults }
  }

  /** Clicks the button that creates a sandbox, and returns the section that shows it. */
  async function createOn(page: Page, seed: RegExp, label: string): Promise<Locator> {
    await page.getByRole('radio', { name: seed }).check()
    await page.getByLabel('Label').fill(label)
    await page.getByRole('button', { name: 'Create a sandbox' }).click()
    const title = label === '' ? 'Your sandbox' : `Your sandbox: ${label}`
    const section = page.getByRole('region', { name: title })
    await section.waitFor()
    return section
  }

  for (const [width, colorScheme] of [
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const) {
    test(`both pages fit into ${width} px in ${colorScheme} mode, and are accessible`, async () => {
      const context = await newContext({ viewport: { width, height: 800 }, colorScheme })
      const { page, faults } = await open(context, `${host.base}/`)
      await createOn(page, /Demo shop/, '<b>Ada & co</b>')
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      expect(await seriousViolations(page)).toEqual([])
      const link = page.getByRole('link', { name: 'Print page' })
      const print = await open(context, host.base + (await link.getAttribute('href')))
      await print.page.getByRole('heading', { name: '<b>Ada & co</b>' }).waitFor()
      expect(await print.page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      expect(await seriousViolations(print.page)).toEqual([])
      const background = 'getComputedStyle(document.body).backgroundColor'
      const isDark = colorScheme === 'dark'
      expect(await page.evaluate(background)).toBe(isDark ? 'rgb(18, 22, 27)' : 'rgb(255, 255, 255)')
      await print.page.emulateMedia({ media: 'print' })
      expect(await print.page.evaluate(background)).toBe('rgb(255, 255, 255)')
      expect([...faults, ...print.faults]).toEqual([])
    })
  }

  for (const seed of ['Demo shop', 'Empty', 'Large']) {
    test(`${seed}: each command on the page works, and no order is placed twice`, async () => {
      const context = await newContext()
      const { page } = await open(context, `${host.base}/`)
      const section = await createOn(page, new RegExp(seed), '')
      const results: CommandResult[] = []
      for (const command of await section.locator('pre').allInnerTexts())
        results.push(await runCommand(command))
      for (const { status, text } of results.slice(0, -3)) {
        expect(status).toBe(0)
        expect(text).not.toContain('"code"')
      }
      const [first, dropped, repeated] = results.slice(-3)
      expect(JSON.parse(first?.text ?? '')).toMatchObject({ id: 1, quantity: 1 })
      // curl: (52) Empty reply from server, or (56) Connection reset by peer.
      expect([52, 56]).toContain(dropped?.status ?? 0)
      expect(dropped?.text).toBe('')
      expect(JSON.parse(repeated?.text ?? '')).toMatchObject({ id: 2, quantity: 1 })
      const orders = await fetch(`${await section.locator('#address').innerText()}/store/orders`, {
        headers: { Authorization: `Bearer ${await section.locator('#key').innerText()}` },
      })
      expect(await orders.json()).toHaveLength(2)
    })
  }

  test('the link to the console signs in, and the docs and the description are those of the sandbox', async () => {
    const context = await newContext()
    const { page } = await open(context, `${host.base}/`)
    const section = await createOn(page, /Demo shop/, 'Ada')
    const opening = context.waitForEvent('page')
    await section.getByRole('link', { name: 'Console' }).click()
    const opened = await opening
    await opened.getByRole('heading', { name: 'Dashboard' }).waitFor()
    const address = await section.locator('#address').innerText()
    expect(opened.url()).toStartWith(`${address}/console`)
    expect(opened.url()).not.toContain('pst_')
    for (const name of ['Docs', 'Lesson', 'Guide to sandboxes', 'openapi.json']) {
      const href = (await section.getByRole('link', { name }).getAttribute('href')) ?? ''
      expect(href).toStartWith(address)
      expect((await fetch(href)).status).toBe(200)
    }
  })

  test('the buttons copy the address, the key and the commands', async () => {
    const context = await newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = await open(context, `${host.base}/`)
    const section = await createOn(page, /Demo shop/, 'Ada')
    for (const [button, shown] of [
      ['Copy the address', '#address'],
      ['Copy the key', '#key'],
      ['Copy command 1', '#calls pre >> nth=0'],
    ] as const) {
      await section.getByRole('button', { name: button }).click()
      await section.getByText('Copied').last().waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
        await page.locator(shown).innerText(),
      )
    }
  })

  test('without HTTPS, a sandbox is created, and its key is copied with the older command of the browser', async () => {
    const context = await newContext()
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', error => faults.push(error.message))
    await page.goto(`${host.base.replace('127.0.0.1', INSECURE_HOST)}/`)
    const section = await createOn(page, /Demo shop/, 'Ada')
    await page.evaluate(`document.addEventListener('copy', () => {
        globalThis.copiedText = document.activeElement.value
      })`)
    await section.getByRole('button', { name: 'Copy the key' }).click()
    await section.getByText('Copied').last().waitFor()
    expect(await page.evaluate<string>('copiedText')).toBe(await page.locator('#key').innerText())
    expect(faults).toEqual([])
  })

  test('a failure to copy or to reset is reported next to the button', async () => {
    const context = await newContext()
    await context.addInitScript({
      content: `navigator.clipboard.writeText = () => Promise.reject(new Error('no'))
          document.execCommand = () => false`,
    })
    const { page } = await open(context, `${host.base}/`)
    const section = await createOn(page, /Demo shop/, 'Ada')
    const copying = section.getByText('The browser does not allow copying.')
    for (const name of ['Copy the key', 'Copy command 1', 'Copy command 4']) {
      const button = section.getByRole('button', { name })
      await button.click()
      await copying.waitFor()
      expect(await copying.count()).toBe(1)
      expect(await distance(copying, button)).toBeLessThan(250)
    }
    page.on('dialog', dialog => dialog.accept())
    await context.setOffline(true)
    const reset = section.getByRole('button', { name: 'Reset' })
    await reset.click()
    const failure = section.getByText('The host cannot be reached.')
    await failure.waitFor()
    expect(await distance(failure, reset)).toBeLessThan(100)
    expect(await copying.count()).toBe(0)
  })

  test('the page resets and deletes a sandbox after a confirmation, and forgets a deleted one', async () => {
    const context = await newContext()
    const { page, faults } = await open(context, `${host.base}/`)
    const section = await createOn(page, /Empty/, 'Ada')
    const commands = await section.locator('pre').allInnerTexts()
    await runCommand(commands[1] ?? '')
    const address = await section.locator('#address').innerText()
    const categories = async (): Promise<unknown> => (await fetch(`${address}/categories`)).json()
    expect(await categories()).toHaveLength(1)
    page.once('dialog', dialog => dialog.dismiss())
    await section.getByRole('button', { name: 'Reset' }).click()
    expect(await categories()).toHaveLength(1)
    page.on('dialog', dialog => dialog.accept())
    await section.getByRole('button', { name: 'Reset' }).click()
    const message = section.getByText('The sandbox was reset.')
    await message.waitFor()
    expect(await distance(message, section.getByRole('button', { name: 'Reset' }))).toBeLessThan(100)
    expect(await categories()).toEqual([])
    await section.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The sandbox was deleted.').waitFor()
    expect(await section.isVisible()).toBe(false)
    expect(await page.getByText('Created in this browser').isVisible()).toBe(false)
    expect((await fetch(`${address}/categories`)).status).toBe(404)
    expect(faults).toEqual([])
  })

  test('the page lists the sandboxes of this browser after a reload, without expired and deleted ones', async () => {
    const context = await newContext()
    const { page } = await open(context, `${host.base}/`)
    const section = await createOn(page, /Empty/, 'Ada')
    const key = await section.locator('#key').innerText()
    const id = (await section.locator('#address').innerText()).split('/').at(-1)
    await createOn(page, /Empty/, 'Grace')
    await page.evaluate(`{
        const list = JSON.parse(localStorage.getItem('petstore-sandboxes'))
        const old = { ...list[0], id: 'old', label: 'Expired', expiresAt: '2020-01-01T00:00:00Z' }
        localStorage.setItem('petstore-sandboxes', JSON.stringify([...list, old]))
      }`)
    await page.reload()
    const list = page.getByRole('region', { name: 'Created in this browser' })
    expect(await list.getByRole('button').count()).toBe(2)
    expect(String(await page.evaluate('JSON.stringify(localStorage)'))).not.toContain('Expired')
    await list.getByRole('button', { name: 'Ada' }).click()
    const shown = page.getByRole('region', { name: 'Your sandbox: Ada' })
    await shown.waitFor()
    expect(await shown.locator('#key').innerText()).toBe(key)
    await fetch(`${host.base}/sandboxes/${id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${key}` },
    })
    await list.getByRole('button', { name: 'Ada' }).click()
    await page.getByRole('alert').getByText('There is no sandbox at this address').waitFor()
    expect(await list.getByRole('button').count()).toBe(1)
  })

  test('a late response about a sandbox changes nothing of the one that the page shows then', async () => {
    const context = await newContext()
    const { page } = await open(context, `${host.base}/`)
    const keys: Record<string, string> = {}
    for (const label of ['Ada', 'Grace']) {
      const section = await createOn(page, /Empty/, label)
      const id = (await section.locator('#address').innerText()).split('/').at(-1)
      keys[`${host.base}/sandboxes/${id}`] = await section.locator('#key').innerText()
    }
    const [ofAda = ''] = Object.keys(keys)
    const list = page.getByRole('region', { name: 'Created in this browser' })
    const grace = page.getByRole('region', { name: 'Your sandbox: Grace' })
    const held: Route[] = []
    await page.route(ofAda, route => {
      held.push(route)
    })
    await list.getByRole('button', { name: 'Ada' }).click()
    await list.getByRole('button', { name: 'Grace' }).click()
    await grace.waitFor()
    const isAnswered = page.waitForResponse(ofAda)
    await held[0]?.continue()
    await isAnswered
    await page.evaluate(`fetch('/livez').then(response => response.text())`)
    expect(await grace.isVisible()).toBe(true)
    await list.getByRole('button', { name: 'Ada' }).click()
    await list.getByRole('button', { name: 'Grace' }).click()
    await grace.waitFor()
    await fetch(ofAda, { method: 'DELETE', headers: { Authorization: `Bearer ${keys[ofAda]}` } })
    await held[1]?.continue()
    await page.getByRole('alert').getByText('There is no sandbox at this address').waitFor()
    expect(await grace.isVisible()).toBe(true)
    expect(await list.getByRole('button').allInnerTexts()).toEqual([expect.stringContaining('Grace')])
  })

  test('the page works in a browser that stores nothing, and says that the key must be copied', async () => {
    const context = await newContext()
    await context.addInitScript({
      content: `Object.defineProperty(window, 'localStorage', {
          get() { throw new DOMException('no', 'SecurityError') },
        })`,
    })
    const { page, faults } = await open(context, `${host.base}/`)
    const section = await createOn(page, /Empty/, '')
    expect(await section.innerText()).toContain('Copy the key now')
    expect(await section.locator('#key').innerText()).toMatch(KEY)
    expect(faults).toEqual([])
  })

  test('the page shows the refusal of a full host, and says if the host cannot be reached', async () => {
    await using full = await openSandboxHost({ limits: { sandboxes: 1 } })
    const context = await newContext()
    const { page } = await open(context, `${full.base}/`)
    await createOn(page, /Empty/, 'Ada')
    await page.getByRole('button', { name: 'Create a sandbox' }).click()
    await page.getByRole('alert').getByText('This host has reached its limit of 1 sandboxes').waitFor()
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Create a sandbox' }).click()
    await page.getByRole('alert').getByText('The host cannot be reached.').waitFor()
    await context.close()
  })

  test('the page works with the keyboard: the focus moves to the sandbox, and back when it is deleted', async () => {
    const context = await newContext()
    const { page } = await open(context, `${host.base}/`)
    const focused = (): Promise<unknown> => page.evaluate('document.activeElement?.textContent.trim()')
    await page.getByRole('radio', { name: /Demo shop/ }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Ada')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Your sandbox: Ada' }).waitFor()
    expect(await focused()).toBe('Your sandbox: Ada')
    page.on('dialog', dialog => dialog.accept())
    await page.getByRole('button', { name: 'Delete' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('The sandbox was deleted.').waitFor()
    expect(await focused()).toBe('Create a sandbox')
  })

  test('the print page shows the label, the address, its QR code and the key of the URL, on one sheet', async () => {
    const context = await newContext()
    const { created } = await host.create({ label: 'Ada' })
    const address = `${host.base}/sandboxes/${created.id}/print`
    const { page, faults } = await open(context, `${address}#key=${created.adminKey}`)
    await page.getByRole('heading', { name: 'Key' }).waitFor()
    const link = await readQrCode(page, page.getByRole('img', { name: 'QR code of the console' }))
    expect(link).toBe(`${created.baseUrl}/console#key=${created.adminKey}`)
    await page.emulateMedia({ media: 'print' })
    const shown = await page.locator('main').innerText()
    for (const text of [
      ...['Ada', created.baseUrl, created.adminKey, `curl "${created.baseUrl}/pets?limit=3"`],
      ...[`BASE=${created.baseUrl}\nKEY=${created.adminKey}`, `${created.baseUrl}/docs/guide/lesson`],
    ])
      expect(shown).toContain(text)
    expect(shown).not.toContain('This page has no key')
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
    for (const format of ['A4', 'Letter'])
      expect((await page.pdf({ format })).toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1)
    const withoutKey = await open(context, address)
    const code = withoutKey.page.getByRole('img', { name: 'QR code of the address' })
    expect(await readQrCode(withoutKey.page, code)).toBe(created.baseUrl)
    expect(await withoutKey.page.locator('main').innerText()).toContain('This page has no key')
    expect(await withoutKey.page.getByRole('heading', { name: 'Key' }).isVisible()).toBe(false)
    const text = await withoutKey.page.locator('main').innerText()
    expect(text).toContain(`BASE=${created.baseUrl}`)
    expect(text).not.toContain('KEY=')
    expect([...faults, ...withoutKey.faults]).toEqual([])
    await withoutKey.page.route(address, (route, request) =>
      request.isNavigationRequest() ? route.continue() : route.fulfill({ status: 502, body: 'Bad gateway' }),
    )
    const refused = withoutKey.page.waitForResponse(response => response.status() === 502)
    await withoutKey.page.goto('about:blank')
    await withoutKey.page.goto(`${address}#key=${created.adminKey}`)
    await refused
    await withoutKey.page.locator('#expiry').filter({ hasNotText: 'UTC' }).waitFor()
    expect(await withoutKey.page.getByText('This page has no key').isVisible()).toBe(true)
  })

  for (const [place, isSecure] of [
    ['with a secure origin', true],
    ['without HTTPS', false],
  ] as const) {
    test(`the lesson of a sandbox has its address in the commands, and buttons that copy them, ${place}`, async () => {
      const context = await newContext({ viewport: { width: 390, height: 900 } })
      if (isSecure) await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const { created } = await host.create()
      const address = `${created.baseUrl}/docs/guide/lesson`
      const { page, faults } = await open(
        context,
        isSecure ? address : address.replace('127.0.0.1', INSECURE_HOST),
      )
      await page.evaluate(`document.addEventListener('copy', () => {
          globalThis.copiedText = document.activeElement.value
        })`)
      await page.getByRole('button', { name: 'Copy command 1', exact: true }).click()
      await page.getByText('Copied', { exact: true }).waitFor()
      const copied = await page.evaluate(isSecure ? 'navigator.clipboard.readText()' : 'copiedText')
      expect(copied).toBe(`BASE=${created.baseUrl}\nKEY=pst_...\n`)
      const commands = await page.locator('pre:is(.sh, .start, .text)').count()
      expect(await page.getByRole('button', { name: /^Cop(y|ied) command/ }).count()).toBe(commands)
      expect(commands).toBeGreaterThan(20)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      if (isSecure) expect([faults, await seriousViolations(page)]).toEqual([[], []])
    })
  }

  test('a lesson outside a class asks for another key after the store refused one', async () => {
    const context = await newContext()
    const { created } = await host.create()
    const { page } = await open(context, `${created.baseUrl}/docs/guide/lesson`)
    const field = page.getByLabel('Key on your card')
    const use = async (key: string): Promise<void> => {
      await field.fill(key)
      await page.getByRole('button', { name: 'Use this key' }).click()
    }
    const send = (): Promise<void> =>
      page.getByRole('button', { name: 'Send request 1', exact: true }).click()
    await page.getByLabel('Request 1', { exact: true }).fill('GET /store/orders')
    await use('')
    await page.getByText('This is not a key').waitFor()
    await use(`${created.adminKey}…`)
    await use('pst_mistyped')
    expect(await field.isVisible()).toBe(false)
    await send()
    await page.getByText('The store refused your key.').waitFor()
    await page.reload()
    expect(await field.isVisible()).toBe(false)
    await send()
    await use(created.adminKey)
    await send()
    await page.getByText('Status 200').waitFor()
    expect([
      await field.isVisible(),
      await page.getByText('The store refused your key.').isVisible(),
    ]).toEqual([false, false])
  })

  test('a change in a lesson stays when another tab of it changes another request', async () => {
    const context = await newContext()
    const { created } = await host.create()
    const tabs = [1, 2].map(() => open(context, `${created.baseUrl}/docs/guide/lesson`))
    for (const [index, { page }] of (await Promise.all(tabs)).entries())
      await page.getByLabel(`Request ${index + 1}`, { exact: true }).fill(`GET /changed/${index}`)
    const { page } = await open(context, `${created.baseUrl}/docs/guide/lesson`)
    for (const index of [0, 1])
      expect(await page.getByLabel(`Request ${index + 1}`, { exact: true }).inputValue()).toBe(
        `GET /changed/${index}`,
      )
  })

  test('the lesson of a sandbox is a page for students: it has no answer, and no command of a host', async () => {
    const { created } = await host.create()
    const guide = async (name: string): Promise<string> =>
      (await fetch(`${created.baseUrl}/docs/guide/${name}`)).text()
    const lesson = await guide('lesson')
    expect(lesson).toContain(created.baseUrl)
    for (const hidden of ['Answers', 'petstore sandbox', 'class.csv']) {
      expect(lesson).not.toContain(hidden)
      expect(await guide('teaching')).not.toContain(hidden)
      expect(readFileSync(join(ROOT, 'docs/teaching.md'), 'utf8')).toContain(hidden)
    }
    expect((await fetch(`${created.baseUrl}/docs/guide/teaching`)).status).toBe(404)
  })

  test('a class has ten cards on a sheet of A4, and the QR code of a card opens the console signed in', async () => {
    const context = await newContext()
    const { created } = await host.create({ label: '' })
    const { baseUrl: address, adminKey: key } = created
    const labels = ['<b>Ada & co</b>', ...Array(8).fill('W'.repeat(100)), '']
    const identifier = 'ada.lovelace@school.example'
    const { page, faults } = await open(context, `${host.base}/livez`)
    await page.setContent(cardsPage(labels.map(label => ({ label, identifier, address, key }))))
    const headings = await page.getByRole('heading').allInnerTexts()
    expect(headings).toEqual([...labels.slice(0, -1), 'Sandbox 10'].map(text => `${text}\n${identifier}`))
    const card = page.getByRole('listitem').first()
    for (const text of [address, key]) expect(await card.textContent()).toContain(text)
    await page.emulateMedia({ media: 'print' })
    expect((await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1)
    const link = await readQrCode(page, card.getByRole('img', { name: 'QR code of the console' }))
    const console = await open(context, link ?? '')
    await console.page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    expect(faults).toEqual([])
  })

  test('the print page shows no text of a request that does not have the form of a key', async () => {
    const { created } = await host.create()
    const page = async (token: string): Promise<string> => {
      const headers = { Authorization: `Bearer ${token}` }
      return (await fetch(`${host.base}/sandboxes/${created.id}/print`, { headers })).text()
    }
    expect(await page(created.adminKey)).toContain(created.adminKey)
    for (const token of ['<b>', created.adminKey.slice(0, -1)]) expect(await page(token)).not.toContain(token)
  })

  test('the print page of an unknown sandbox says that there is none, with status 404', async () => {
    const response = await fetch(`${host.base}/sandboxes/7k2m9xq4w8e3rtyu5pasdf6ghj/print`)
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('There is no sandbox at this address')
    const head = await fetch(`${host.base}/sandboxes/7k2m9xq4w8e3rtyu5pasdf6ghj/print`, { method: 'HEAD' })
    expect(head.status).toBe(404)
  })

  test('a browser gets a page for an address without a sandbox, and a program gets an error as JSON', async () => {
    const address = `${host.base}/s/7k2m9xq4w8e3rtyu5pasdf6ghj`
    const get = (path: string, accept: string, method = 'GET'): Promise<Response> =>
      fetch(address + path, { method, headers: { Accept: accept } })
    const browserAccept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    for (const path of ['', '/', '/console', '/console/pets/3', '/docs', '/docs/guide/lesson', '/pets']) {
      const page = await get(path, browserAccept)
      expect([path, page.status]).toEqual([path, 404])
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.headers.get('content-security-policy')).toStartWith("default-src 'none'")
      const text = await page.text()
      for (const part of ['There is no sandbox at this address', 'end of its lifetime', 'ask your teacher'])
        expect(text).toContain(part)
      const head = await get(path, browserAccept, 'HEAD')
      expect([head.status, head.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      for (const accept of ['*/*', 'application/json'])
        expect(await (await get(path, accept)).json()).toMatchObject({ code: 'sandbox_not_found' })
    }
    const post = await get('/console', browserAccept, 'POST')
    expect(await post.json()).toMatchObject({ code: 'sandbox_not_found' })
  })

  test('after a sandbox has expired or was deleted, a browser gets a page', async () => {
    let nowMs = Date.now()
    await using other = await openSandboxHost({ clock: () => nowMs })
    const get = async ({ created }: TestSandbox): Promise<[number, string | null]> => {
      const { status, headers } = await fetch(created.baseUrl, { headers: { Accept: 'text/html' } })
      return [status, headers.get('content-type')]
    }
    const [deleted, expired] = [await other.create(), await other.create({ lifetimeSeconds: 60 })]
    expect(await get(deleted)).toEqual([200, 'text/html; charset=utf-8'])
    await deleted.callHost('DELETE', '')
    nowMs += 60_000
    for (const sandbox of [deleted, expired])
      expect(await get(sandbox)).toEqual([404, 'text/html; charset=utf-8'])
  })

  test('the pages and their files have a strict content security policy', async () => {
    for (const path of ['/', '/pages.css', '/landing.js', '/print.js', '/sandboxes/none/print']) {
      const policy = (await fetch(host.base + path)).headers.get('content-security-policy') ?? ''
      expect([path, policy]).toEqual([
        path,
        expect.stringContaining("default-src 'none'; script-src 'self';"),
      ])
      expect(policy).not.toContain('unsafe')
    }
  })
})

test('every link of the pages starts with the path under which a proxy serves the host', () => {
  const base = 'https://example.org/pets'
  const sandbox = {
    id: '7k2m9xq4w8e3rtyu5pasdf6ghj',
    baseUrl: `${base}/s/7k2m9xq4w8e3rtyu5pasdf6ghj`,
    seed: 'demo',
    state: 'ready' as const,
    generation: 1n,
    createdAt: '2026-11-21T09:30:00Z',
    expiresAt: '2026-11-22T09:30:00Z',
  }
  for (const page of [landingPage(base), printPage(base, sandbox), noSandboxPage(base)]) {
    const links = [...page.matchAll(/(?:href|src|data-path|data-base-path)="([^"]*)"/g)].map(
      match => match[1] ?? '',
    )
    const own = links.filter(link => !link.startsWith('data:'))
    expect(own.length).toBeGreaterThan(1)
    expect(own.filter(link => !/^(https:\/\/example\.org)?\/pets(\/|$)/.test(link))).toEqual([])
  }
})

/** Returns the vertical distance between the tops of two elements, in pixels. */
async function distance(one: Locator, other: Locator): Promise<number> {
  const [first, second] = [await one.boundingBox(), await other.boundingBox()]
  if (!first || !second) throw new Error('an element is not visible')
  return Math.abs(first.y - second.y)
}

/** Runs a command in a shell. curl ignores the proxy settings of the environment. */
async function runCommand(command: string): Promise<CommandResult> {
  const process = Bun.spawn(['sh', '-c', command.replace(/^curl /, "curl -sS --noproxy '*' ")], {
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const text = await new Response(process.stdout).text()
  return { status: await process.exited, text }
}

/** Returns the text of a QR code that a page shows. The page decodes a picture of the code. */
async function readQrCode(page: Page, code: Locator): Promise<string | undefined> {
  const address = `data:image/png;base64,${(await code.screenshot()).toString('base64')}`
  const { width, height, data } = await page.evaluate<{ width: number; height: number; data: number[] }>(`
    new Promise((resolve, reject) => {
      const image = new Image()
      image.onerror = reject
      image.onload = () => {
        const { width, height } = image
        const canvas = document.createElement('canvas')
        Object.assign(canvas, { width, height })
        const context = canvas.getContext('2d')
        context.drawImage(image, 0, 0)
        resolve({ width, height, data: [...context.getImageData(0, 0, width, height).data] })
      }
      image.src = ${JSON.stringify(address)}
    })`)
  return jsQR(Uint8ClampedArray.from(data), width, height)?.data
}
