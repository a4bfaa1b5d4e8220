import type { Page, Request } from 'playwright-core'

/**
 * Holds the requests of a page that match until `release` is called, as a store does that has stopped. `held` has those
 * that were held.
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

/** Lets the matching requests of a page reach the store, but loses the responses. Returns a function that ends this. */
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

/** Returns the requests of a page with this method, as they are sent. */
export function requestsWith(page: Page, method: string): readonly Request[] {
  const requests: Request[] = []
  page.on('request', request => {
    if (request.method() === method) requests.push(request)
  })
  return requests
}
