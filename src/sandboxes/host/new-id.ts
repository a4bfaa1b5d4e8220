import { randomBytes } from 'node:crypto'
import { ID_ALPHABET, ID_CHARS } from '../contract/schema.ts'

/** Returns an id that nobody guesses, of a sandbox or a class. */
export function newId(): string {
  return Array.from(randomBytes(ID_CHARS), byte => ID_ALPHABET[byte % ID_ALPHABET.length]).join('')
}
