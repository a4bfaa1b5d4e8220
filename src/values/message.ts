let translationOf = (text: string): string => text

/** Sets the language of all messages. Only the console does that, whose process is the page of one person. */
export function translateMessages(translate: (text: string) => string): void {
  translationOf = translate
}

/** A sentence before it is translated: in English, with numbers for the values, as in `{0} is empty`. */
export interface Template {
  readonly text: string
  readonly values: readonly string[]
}

type MessageValues = readonly (string | number | bigint)[]

/** Returns a sentence in English, or in the language of the page. Its translation has its template as the key. */
export function message(texts: TemplateStringsArray, ...values: MessageValues): string {
  return filled(template(texts, ...values))
}

/** Returns a sentence that another process may translate. */
export function template(texts: TemplateStringsArray, ...values: MessageValues): Template {
  return { text: keyOf(texts), values: values.map(String) }
}

/** Returns the sentence of a template, as `message` does. */
export function filled({ text, values }: Template): string {
  return translationOf(text).replace(/\{(\d+)\}/g, (_, index: string) => values[Number(index)] ?? '')
}

/** Returns a sentence that is chosen or named elsewhere, such as the name of a column. */
export function translated(text: string): string {
  return translationOf(text)
}

function keyOf([start = '', ...others]: readonly string[]): string {
  return start + others.map((text, index) => `{${index}}${text}`).join('')
}
