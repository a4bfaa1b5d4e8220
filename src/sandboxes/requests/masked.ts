const SECRETS: readonly [RegExp, string][] = [
  [/pst_[0-9A-Za-z]{4,}/g, 'pst_***'],
  [/psc_[0-9a-f]{4,}/g, 'psc_***'],
  [/whsec_[0-9A-Za-z+/=_-]+/g, 'whsec_***'],
]
const SECRET_HEADERS: readonly string[] = ['authorization', 'cookie', 'set-cookie', 'proxy-authorization']
/** An ASCII character that is written as an escape of a URI (RFC 3986) or of JSON (RFC 8259). */
const ESCAPED = /%([2-7][0-9a-f])|\\u00([2-7][0-9a-f])/gi
const SECRET_CHARACTER = /^[\w+/=-]$/

/**
 * Returns a text with asterisks in place of the keys and secrets of a store. Escapes do not hide them: a text with a
 * secret is returned without the escapes of characters that a secret can have.
 */
export function masked(text: string): string {
  const plain = text.replaceAll(ESCAPED, (written, inUri?: string, inJson?: string) => {
    const character = String.fromCharCode(Number.parseInt(inUri ?? inJson ?? '', 16))
    return SECRET_CHARACTER.test(character) ? character : written
  })
  const hidden = SECRETS.reduce((result, [secret, shown]) => result.replaceAll(secret, shown), plain)
  return hidden === plain ? text : hidden
}

/** Returns header fields for the log, without secrets. The scheme of an Authorization header remains. */
export function maskedHeaders(headers: Headers): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const [name, value] of headers) {
    const hidden = masked(value)
    const isWhollySecret = SECRET_HEADERS.includes(name) && hidden === value
    shown[name] = isWhollySecret ? value.replace(/^([^ ]* )?.*$/s, '$1***') : hidden
  }
  return shown
}
