/**
 * Returns a base address without a trailing slash; undefined if it is not an http or https URL, or if it has a user, a
 * query or a fragment.
 */
export function baseAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!isHttp || url.username !== '' || url.password !== '' || /[?#]/.test(text)) return undefined
  let end = url.href.length
  while (url.href[end - 1] === '/') end--
  return url.href.slice(0, end)
}
