const PAGE_PATH = /^\/(console|docs)([/?]|$)/
const PAGE = /\/(console|docs)([/?]|$)/
const LESSON = /\/docs\/guide\/lesson([?]|$)/

/**
 * Returns whether the console or the documentation of a store sent a request. In the lesson, a student sends requests.
 * `path` is below the base address. `field` returns a header field of the request.
 */
export function isPageRequest(path: string, field: (name: string) => string | null | undefined): boolean {
  if (PAGE_PATH.test(path)) return true
  const referer = field('referer') ?? ''
  if (LESSON.test(referer)) return false
  // Without TLS, other machines send no Sec-Fetch-Site. The policy of the pages lets a browser name the page.
  return field('sec-fetch-site') === 'same-origin' || PAGE.test(referer)
}
