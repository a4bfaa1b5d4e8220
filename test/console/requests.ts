import type { Page, Request } from 'playwright-core'

/**
 * Holds the requests for which `isHeld` returns true until `release` is called, as if the store accepted them and did
 * not respond. `held` has the requests that were held.
 */
export async function holdRequests(
  page: Page,
  isHeld: (request: Request) => boolean,
): Promise<{ readonly held: readonly Request[]; release(): void }> {
  const released = Promise.withResolvers<void>()
  const held: Request[] = []
  await page.route('**/*', async route => {
    if (isHeld(route.request())) {
      held.push(route.request())
      await released.promise
    }
    // The page may have aborted the request meanwhile.
    await route.continue().catch(() => {})
  })
  return { held, release: () => released.resolve() }
}

/**
 * Lets the requests of a page reach the store, but drops the responses to those for which `isLost` returns true.
 * Returns a function that ends the loss.
 */
export async function loseResponses(
  page: Page,
  isLost: (request: Request) => boolean,
): Promise<() => Promise<void>> {
  await page.route('**/*', async route => {
    if (!isLost(route.request())) return await route.continue()
    await route.fetch()
    await route.abort('connectionreset')
  })
  return () => page.unrouteAll()
}

/** Returns a list to which each request of a page with this method is added when it is sent. */
export function requestsWith(page: Page, method: string): readonly Request[] {
  const requests: Request[] = []
  page.on('request', request => {
    if (request.method() === method) requests.push(request)
  })
  return requests
}
