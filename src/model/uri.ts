const SCHEME_AND_AUTHORITY = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/
const ENCODED = /%[0-9A-Fa-f]{2}/g
/** The characters of a path, a query and a fragment, without `%` (RFC 3986, appendix A). */
const PLAIN = /^[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]*$/
/** The characters of a scheme and an authority, without `%`. A host can be an IPv6 address in brackets. */
const PLAIN_AUTHORITY = /^[A-Za-z0-9\-._~:/@!$&'()*+,;=[\]]*$/

/**
 * Returns whether a text is an absolute URI with an authority (RFC 3986, section 3). The URL parser of the platform
 * repairs other texts silently, but clients in other languages refuse them.
 */
export function isUri(text: string): boolean {
  const [start] = SCHEME_AND_AUTHORITY.exec(text) ?? []
  if (start === undefined) return false
  const rest = text.slice(start.length).replaceAll(ENCODED, '')
  return PLAIN_AUTHORITY.test(start.replaceAll(ENCODED, '')) && PLAIN.test(rest)
}
