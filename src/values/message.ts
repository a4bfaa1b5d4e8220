let translationOf = (text: string): string => text

/** Sets the language of all messages. Only the console does that, whose process is the page of one person. */
export function translateMessages(translate: (text: string) => string): void {
  translationOf = translate
}

/**
 * Returns a sentence in English, or in the language of the page. Its translation has it as the key, with numbers for
 * the values: `{0} is empty`.
 */
export function message(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | bigint)[]
): string {
  return translationOf(keyOf(texts)).replace(/\{(\d+)\}/g, (_, index: string) =>
    String(values[Number(index)]),
  )
}

/** Returns a sentence that is chosen or named elsewhere, such as the name of a column. */
export function translated(text: string): string {
  return translationOf(text)
}

function keyOf([start = '', ...others]: readonly string[]): string {
  return start + others.map((text, index) => `{${index}}${text}`).join('')
}
