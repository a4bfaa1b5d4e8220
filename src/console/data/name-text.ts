import { t } from '../words/sentences.tsx'

/** Characters that show nothing: blanks, controls, characters without a width, and the empty Braille pattern U+2800. */
const INVISIBLE = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu
/** Characters that change the direction of the text after them. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/
/** The characters that start and end an isolate. */
const ISOLATES = /[\u2066-\u2069]/g

/** Returns whether a name shows at least one character. */
export function isVisible(name: string): boolean {
  return name.replace(INVISIBLE, '') !== ''
}

/**
 * Returns a name without the characters that start and end an isolate (Unicode Annex 9, section 2.4). With them, a name
 * could end the isolate in which it is shown, and then change the direction of the text around it.
 */
export function withoutIsolates(name: string): string {
  return name.replace(ISOLATES, '')
}

/**
 * Returns a name as plain text, for places that cannot contain HTML elements, such as a title. A name that shows
 * nothing is replaced by a placeholder. A name that could change the direction of the text around it is isolated.
 */
export function nameText(name: string, id?: bigint): string {
  if (!isVisible(name)) return t('(no visible name)') + (id === undefined ? '' : ` ${id}`)
  return DIRECTION.test(name) ? `\u2068${withoutIsolates(name)}\u2069` : name
}
