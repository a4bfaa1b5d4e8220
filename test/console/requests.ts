import type { Page, Request } from 'playwright-core'

/**
 * Holds each request for which `isHeld` returns true, as if the store accepted the request and did not respond.
 * `release` passes the held requests on. `held` has the requests that were held.
 */
export async function holdRequests(
  page: Page,
  isHeld: (request: Request) => boolean,
): Promise<{ readonly held: readonly Request[]; release(): void }> {
  const released = Promise.withResolvers<void>()
  const held: Request[] = []
  await passLater(page, async request => {
    if (!isHeld(request)) return
    held.push(request)
    await released.promise
  })
  return { held, release: () => released.resolve() }
}

/** Sends each request for which `isDelayed` returns true later, as over a slow network. */
export async function delayRequests(
  page: Page,
  isDelayed: (request: Request) => boolean,
  delayMs: number,
): Promise<void> {
  await passLater(page, async request => {
    if (isDelayed(request)) await Bun.sleep(delayMs)
  })
}

/** Passes each request on when the promise that `wait` returns for it resolves. */
async function passLater(page: Page, wait: (request: Request) => Promise<void>): Promise<void> {
  await page.route('**/*', async route => {
    await wait(route.request())
    // The page may have aborted the request meanwhile.
    await route.continue().catch(() => {})
  })
}

/** Returns a list to which each request with this method is added when the page sends it. */
export function requestsWith(page: Page, method: string): readonly Request[] {
  const requests: Request[] = []
  page.on('request', request => {
    if (request.method() === method) requests.push(request)
  })
  return requests
}

/** Lets every response that a page reads from now on have the Date of a clock that shows `ms` now. */
export async function setStoreTime(page: Page, ms: number): Promise<void> {
  await page.evaluate(`{
    window.sendUnchanged ??= window.fetch
    const aheadMs = ${ms} - performance.now()
    window.fetch = async (...request) => {
      const response = await window.sendUnchanged(...request)
      const headers = new Headers(response.headers)
      headers.set('date', new Date(aheadMs + performance.now()).toUTCString())
      const body = [204, 304].includes(response.status) ? null : response.body
      return new Response(body, { status: response.status, headers })
    }
  }`)
}
