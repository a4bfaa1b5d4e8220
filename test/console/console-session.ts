import { afterAll, beforeAll } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { INSECURE_HOST, launchBrowser } from '../support/browser.ts'
import { ADMIN_KEY, type TestStore } from '../support/store.ts'

/** An open console, with the faults that were observed on its page. */
export interface OpenConsole {
  readonly page: Page
  /** Requests to another host, errors and warnings in the console of the browser, and uncaught errors of the page. */
  readonly faults: string[]
}

export interface ConsoleOptions {
  readonly key?: string
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  /** Opens another tab in the context of this page, instead of a new context. */
  readonly tabOf?: Page
  /** Opens the console at a name without HTTPS, so that the page is not a secure context. */
  readonly isInsecure?: boolean
}

/** Opens views of the console in one browser, which is closed after the tests of the file. */
export function consoleBrowser(): {
  open(store: Pick<TestStore, 'base'>, path: string, options?: ConsoleOptions): Promise<OpenConsole>
} {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })
  return {
    open: async (store, path, options = {}) => {
      const { key = ADMIN_KEY, width = 1440, colorScheme = 'light', tabOf, isInsecure = false } = options
      const settings = { viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' } as const
      const context = tabOf?.context() ?? (await browser?.newContext(settings))
      if (!context) throw new Error('the browser did not start')
      const page = await context.newPage()
      const base = isInsecure ? store.base.replace('127.0.0.1', INSECURE_HOST) : store.base
      const faults = watchFaults(page, base)
      await page.goto(`${base}/console${path}#key=${key}`)
      return { page, faults }
    },
  }
}

function watchFaults(page: Page, base: string): string[] {
  const faults: string[] = []
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(base) && !/^(data|blob):/.test(url)) faults.push(`the page requested ${url}`)
  })
  page.on('console', message => {
    // The browser reports every refused request of the API as an error, although the page handles it.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (!isRefusal && ['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  page.on('pageerror', error => faults.push(error.message))
  return faults
}
