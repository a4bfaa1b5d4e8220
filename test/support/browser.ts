import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

/** Launches the Chromium that comes in an npm package; it reaches nothing but this machine. */
export async function launchBrowser(): Promise<Browser> {
  return await playwright.launch({
    executablePath: await chromium.executablePath(),
    headless: true,
    args: [
      // In a single process, which suits a function in the cloud, closing one page would end the browser.
      ...chromium.args.filter(argument => argument !== '--single-process'),
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
}
