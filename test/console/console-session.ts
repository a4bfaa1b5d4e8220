import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { INSECURE_HOST, launchBrowser } from '../support/browser.ts'
import { ADMIN_KEY, type TestStore } from '../support/store.ts'

export interface ConsoleOptions {
  readonly key?: string
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  /** The locale of the browser. */
  readonly locale?: string
  /** Opens another tab in the context of this page, instead of a new context. */
  readonly tabOf?: Page
  /** Opens the console at a name without HTTPS, so that the page is not a secure context. */
  readonly isInsecure?: boolean
}

/**
 * Opens views of the console in one browser. After each test, its pages are closed, and it fails if one had a fault: a
 * request to another host, an error or a warning in the console of the browser, or an uncaught error.
 */
export function consoleBrowser(): {
  open(store: Pick<TestStore, 'base'>, path: string, options?: ConsoleOptions): Promise<Page>
} {
  let browser: Browser | undefined
  const contexts = new Set<BrowserContext>()
  const faults: string[] = []
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterEach(async () => {
    for (const context of contexts) await context.close()
    contexts.clear()
    expect(faults.splice(0)).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
  })
  return {
    open: async (store, path, options = {}) => {
      const { key = ADMIN_KEY, width = 1440, colorScheme = 'light', tabOf, isInsecure = false } = options
      const { locale = 'en-US' } = options
      const settings = {
        viewport: { width, height: 900 },
        colorScheme,
        locale,
        reducedMotion: 'reduce',
      } as const
      const context = tabOf?.context() ?? (await browser?.newContext(settings))
      if (!context) throw new Error('the browser did not start')
      contexts.add(context)
      const page = await context.newPage()
      const base = isInsecure ? store.base.replace('127.0.0.1', INSECURE_HOST) : store.base
      watchFaults(page, base, faults)
      await page.goto(`${base}/console${path}#key=${key}`)
      return page
    },
  }
}

/** Adds what is wrong on a page of a store to `faults`. The page of a sandbox also uses the API of its host. */
function watchFaults(page: Page, base: string, faults: string[]): void {
  const allowed = base.replace(/\/s\/\w+$/, '')
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(allowed) && !/^(data|blob):/.test(url)) faults.push(`the page requested ${url}`)
  })
  page.on('console', message => {
    // The browser reports every refused request of the API as an error, although the page handles it.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (!isRefusal && ['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  page.on('pageerror', error => faults.push(error.message))
}
