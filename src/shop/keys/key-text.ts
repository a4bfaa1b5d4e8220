/** The number of random bytes in a code: 128 bits. A QR code of a longer one is harder to scan. */
const CODE_RANDOM_BYTES = 16

/** Returns a new random code: it is exchanged for a key once, or lets the students into a class. */
export function newCode(): string {
  return `psc_${Buffer.from(crypto.getRandomValues(new Uint8Array(CODE_RANDOM_BYTES))).toString('hex')}`
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_CHARS = 43
const CHECKSUM_CHARS = 6
const KEY_CHARS = 53
const TOKEN = /^pst_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

/** The number of random bytes in a key: 43 base62 characters encode 256 bits. */
export const KEY_RANDOM_BYTES = 32

/** Returns a key: `pst_`, the random number as 43 base62 characters, and their CRC-32 as 6 base62 characters. */
export function keyText(random: Uint8Array): string {
  if (random.length !== KEY_RANDOM_BYTES) throw new Error('a key needs 32 random bytes')
  const secret = base62(BigInt(`0x${Buffer.from(random).toString('hex')}`))
  return `pst_${secret}${checksum(secret)}`
}

/** Returns a new random key. */
export function newKey(): string {
  return keyText(crypto.getRandomValues(new Uint8Array(KEY_RANDOM_BYTES)))
}

/** Returns whether a text has the form of a key. Its length and checksum detect typos and truncated copies early. */
export function isKeyText(token: string): boolean {
  if (token.length !== KEY_CHARS) return false
  const match = TOKEN.exec(token)
  return match !== null && checksum(match[1] ?? '') === match[2]
}

/** Returns the stored form of a key: its SHA-256, in hex. */
export function keyHash(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex')
}

export function keyHint(token: string): string {
  return token.slice(-4)
}

function checksum(secret: string): string {
  // A CRC-32 fits in a number. Every lookup of a key runs this, and bigints cost several times as much.
  let digits = ''
  for (let rest = Bun.hash.crc32(secret); rest > 0; rest = Math.floor(rest / 62)) {
    digits = (ALPHABET[rest % 62] ?? '') + digits
  }
  return digits.padStart(CHECKSUM_CHARS, '0')
}

function base62(value: bigint): string {
  let digits = ''
  for (let rest = value; rest > 0n; rest /= 62n) digits = (ALPHABET[Number(rest % 62n)] ?? '') + digits
  return digits.padStart(SECRET_CHARS, '0')
}
