/** Control characters, and characters that end a line or change the direction of text. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Returns text from a file or a store with such characters escaped, for a terminal or a message on one line. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, escaped)
}

/** Like `escapeControls`, but keeps line ends and tabs, for text of several lines. */
export function escapeControlsInLines(text: string): string {
  return text.replace(CONTROLS, (character, offset: number) => {
    const isKept = character === '\n' || character === '\t' || text.startsWith('\r\n', offset)
    return isKept ? character : escaped(character)
  })
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Like `escapeControls`, but also escapes every other character that has no glyph, for text from anybody. */
export function escapeFormats(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    character => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}
