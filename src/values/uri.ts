const SCHEME_AND_AUTHORITY = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/
const ENCODED = /%[0-9A-Fa-f]{2}/g
/** The characters after the authority, with the delimiters `?` and `#`, but without `%` (RFC 3986, appendix A). */
const PLAIN = /^[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]*$/
/** The characters up to the end of the authority, with `://`, but without `%`. An IPv6 address is in brackets. */
const PLAIN_AUTHORITY = /^[A-Za-z0-9\-._~:/@!$&'()*+,;=[\]]*$/

/**
 * Returns whether a text has a scheme, an authority, and only characters that a URI may contain (RFC 3986). It does not
 * check the structure. The URL parser of the platform accepts or repairs many texts that other parsers refuse.
 */
export function hasUriCharacters(text: string): boolean {
  const [start] = SCHEME_AND_AUTHORITY.exec(text) ?? []
  if (start === undefined) return false
  const rest = text.slice(start.length).replaceAll(ENCODED, '')
  return PLAIN_AUTHORITY.test(start.replaceAll(ENCODED, '')) && PLAIN.test(rest)
}
