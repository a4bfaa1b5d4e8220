import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

/**
 * A name of this machine in the browser. A page from `http://127.0.0.1` is a secure context, like one from HTTPS. A
 * page from `http://` and this name is not.
 */
export const INSECURE_HOST = 'shop.lan'

/** Unpacks the Chromium of an npm package into the folder of temporary files, once. Returns the path of its program. */
export async function unpackBrowser(): Promise<string> {
  // The pages use no WebGL. To emulate a graphics card takes two thirds of the processor time of a test.
  chromium.setGraphicsMode = false
  return await chromium.executablePath()
}

/** Launches the browser. It can connect only to this machine. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = await unpackBrowser()
  return await playwright.launch({
    executablePath,
    headless: true,
    args: [
      // With the option --single-process, which is for cloud functions, closing one page would end the browser. With
      // the other one, a page could read every origin.
      ...chromium.args.filter(argument => !['--single-process', '--disable-web-security'].includes(argument)),
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
    ],
  })
}
