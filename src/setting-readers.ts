import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { textOfFile } from './catalogue/file-text.ts'
import { isDatabaseAddress, URL_FORM } from './database/postgres/database-url.ts'
import { isKeyText } from './shop/keys/key-text.ts'
import { escapeControls } from './values/control-characters.ts'
import { currencyCode } from './values/currency.ts'
import { durationMs } from './values/duration.ts'
import { parseInstantMs } from './values/instant.ts'
import { SECRET_KEY_BYTES } from './values/secret-box.ts'
import { DAY_MS, timeZoneName } from './values/time-zone.ts'
import { hasUriCharacters } from './values/uri.ts'

// Each function returns the value of the text of one kind of setting, or throws an error whose message says what is
// valid.

/** Returns an address or a name to listen on, without the brackets of an IPv6 address. */
export function readHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) === 0 && !/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(host)) {
    throw new Error(
      'it must be an address or a name without scheme and port, such as 127.0.0.1 or ::1; 0.0.0.0 or :: means all.',
    )
  }
  return host
}

/** Returns a whole number from 0 to `max`. `message` says what is valid. */
export function readWholeNumber(text: string, max: number, message: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > max) throw new Error(message)
  return Number(text)
}

/** Returns the seconds after which an idle connection is closed: more than a slow body may take. */
export function readIdleSeconds(text: string): number {
  const message = 'it must be a number of seconds from 20 to 255.'
  const seconds = readWholeNumber(text, 255, message)
  if (seconds < 20) throw new Error(message)
  return seconds
}

/**
 * Returns a base URL without a trailing slash. Links are created by appending to it, so it must not have a query or a
 * fragment. It is public, so it must not have a user or a password.
 */
export function readBaseUrl(text: string): string {
  // The text has an @ wherever a URL has a user or a password.
  const url = /[?#@]/.test(text) ? null : URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error('it must be a URL such as https://shop.example, without user, query or fragment.')
  if (!hasUriCharacters(text))
    throw new Error('it must be a URI: percent-encode the characters that a URI cannot contain.')
  return url.href.replace(/(?<!\/)\/+$/, '')
}

/** Returns the URI of a contact (RFC 9116, section 2.5.3). */
export function readSecurityContact(text: string): string {
  const isMail = /^mailto:[A-Za-z0-9.!$&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$/.test(text)
  if (!isMail && !(URL.parse(text)?.protocol === 'https:' && hasUriCharacters(text)))
    throw new Error(
      'it must be an address such as mailto:security@shop.example or https://shop.example/security.',
    )
  return text
}

/** Returns the name of a time zone. */
export function readTimeZone(text: string): string {
  const name = timeZoneName(text)
  if (name === undefined)
    throw new Error('it must be the name of a time zone, such as Europe/Vienna, America/New_York or UTC.')
  return name
}

/** The maximum length of the name of a shop in code points. */
const SHOP_NAME_MAX = 80

/** Returns the name of a shop without the spaces around it. */
export function readShopName(text: string): string {
  const name = text.trim()
  if (name === '' || [...name].length > SHOP_NAME_MAX || escapeControls(name) !== name)
    throw new Error(`it must have 1 to ${SHOP_NAME_MAX} characters, without control characters.`)
  return name
}

/** Returns the code of a currency. */
export function readCurrency(text: string): string {
  const code = currencyCode(text)
  if (code === undefined)
    throw new Error('it must be the code of a currency (ISO 4217), such as EUR, USD or JPY.')
  return code
}

export function readDirectory(text: string): string {
  if (text.trim() === '' || text === ':memory:' || text.startsWith('file:')) {
    throw new Error('it must name a directory: the store keeps its data in files.')
  }
  if (isDatabaseAddress(text)) {
    throw new Error(`it must name a directory. For PostgreSQL, use --database-url with ${URL_FORM}.`)
  }
  return text
}

export function readInstant(text: string): number {
  const ms = parseInstantMs(text)
  if (ms === undefined) throw new Error('it must be an RFC 3339 instant such as 2028-01-01T00:00:00Z.')
  return ms
}

export function readChoice<const T extends string>(text: string, choices: readonly T[]): T {
  const choice = choices.find(one => one === text)
  if (choice === undefined) throw new Error(`it must be one of ${choices.join(', ')}.`)
  return choice
}

export function readSwitch(text: string): boolean {
  return readChoice(text, ['true', 'false']) === 'true'
}

export function readKey(text: string): string {
  if (!isKeyText(text))
    throw new Error('it must be a complete key (pst_ and 49 characters); "petstore new-key" prints one.')
  return text
}

/** Returns the key that the content of a file encodes: 44 characters, which are 32 bytes in base64. */
export function readSecretKey(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== SECRET_KEY_BYTES || bytes.toString('base64') !== text) {
    throw new Error('it must contain 32 random bytes in base64; "petstore new-secret-key FILE" creates one.')
  }
  return bytes
}

/** Returns the milliseconds of a duration such as 90d or 36h, or `forever`. */
export function readRetention(text: string): number | 'forever' {
  if (text === 'forever') return text
  const ms = durationMs(text, 'dh')
  if (ms === undefined) throw new Error('it must be a number of days (90d) or hours (36h), or forever.')
  return ms
}

const RETRY_DELAYS_MAX = 20
const RETRY_DELAY_MS_MAX = DAY_MS

/** Returns the milliseconds of each delay in a list such as 1s,5s,1m. */
export function readRetryDelays(text: string): number[] {
  const delaysMs = text.split(',').map(entry => durationMs(entry.trim(), 'smh') ?? Number.NaN)
  if (delaysMs.length > RETRY_DELAYS_MAX || !delaysMs.every(delayMs => delayMs <= RETRY_DELAY_MS_MAX)) {
    throw new Error(
      'it must be 1 to 20 delays, each from 1s to 24h, separated by commas, such as 1s,5s,1m,2h.',
    )
  }
  return delaysMs
}

/** Returns the text of a file, without whitespace around it. */
export function readText(file: string): string {
  try {
    return textOfFile(file, readFileSync(file), 'text').trim()
  } catch {
    throw new Error('it must name a readable file.')
  }
}

export function readRate(text: string): { requests: number; seconds: number } | 'off' {
  if (text === 'off') return 'off'
  const [, requests, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})$/.exec(text) ?? []
  if (!requests || !seconds) throw new Error('it must be requests/seconds, such as 60000/60, or off.')
  // Retry-After has the rest of a window, and by the description at most a day.
  if (Number(seconds) * 1000 > DAY_MS) throw new Error('it must have at most 86400 seconds, which is a day.')
  return { requests: Number(requests), seconds: Number(seconds) }
}

export function readList(text: string): string[] {
  return text
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')
}

/** Returns `*`, or an origin as browsers send it. Browsers send no patterns, so a pattern would match nothing. */
export function readOrigin(entry: string): string {
  if (entry === '*') return entry
  const { protocol, origin, hostname } = URL.canParse(entry) ? new URL(entry) : {}
  if (
    origin === undefined ||
    !/^https?:$/.test(protocol ?? '') ||
    !/^[a-z0-9._:[\]-]+$/.test(hostname ?? '')
  ) {
    throw new Error(
      'each must be * or an origin such as https://shop.example; a pattern such as https://*.shop.example matches nothing.',
    )
  }
  if (origin !== entry) throw new Error(`browsers send ${origin}: write it exactly like this.`)
  return entry
}

/** Returns an address or a network. An IPv6 address may be in brackets. */
export function readNetwork(entry: string): string {
  const network = entry.replace(/^\[(.*)\]/, '$1')
  const [address = '', bits = '0', ...rest] = network.split('/')
  const family = isIP(address)
  if (
    family === 0 ||
    rest.length > 0 ||
    !/^\d{1,3}$/.test(bits) ||
    Number(bits) > (family === 6 ? 128 : 32)
  ) {
    throw new Error('each must be an address or a network such as 10.0.0.0/8, without a port.')
  }
  return network
}
