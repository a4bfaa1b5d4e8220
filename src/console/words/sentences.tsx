import { Fragment, type ReactNode } from 'react'
import { translateMessages } from '../../values/message.ts'
import type { Words } from './german.ts'
import { locale } from './language.ts'
import { translation } from './translation.ts'

/** An English sentence of the console, which is also the key of its translations. */
export type Sentence = keyof Words['sentences']

/** The names of the placeholders of a sentence: `pet` and `count` of `{pet} has {count}`. */
type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** The values of placeholders, if there are any. */
type PlaceholderValues<Names extends string, Value> = [Names] extends [never]
  ? []
  : [values: Readonly<Record<Names, Value>>]

// The names of columns are sentences of the pages, too.
const all: Readonly<Record<string, string>> = { ...translation?.sentences, ...translation?.files }
translateMessages(text => all[text] ?? text)

/** The sentences for refusals; undefined in English, which the messages of the store have. */
export const refusalWords = translation?.refusals
/** The ends of sentences about fields; undefined in English. */
export const fieldWords = translation?.fields

const counts = new Intl.NumberFormat(locale)
const plurals = new Intl.PluralRules(locale)

/** A sentence without placeholders. */
export type PlainSentence = {
  [Text in Sentence]: [Placeholders<Text>] extends [never] ? Text : never
}[Sentence]

/** Returns a sentence in the language of the page. */
export function t<Text extends Sentence>(
  text: Text,
  ...[values]: PlaceholderValues<Placeholders<Text>, string>
): string {
  return fill(text, values)
}

/** Returns the sentence for a number, `{count}`: each language has at most these two forms. */
export function countText<One extends Sentence, Other extends Sentence>(
  count: bigint | number,
  one: One,
  other: Other,
  ...[values]: PlaceholderValues<Exclude<Placeholders<One | Other>, 'count'>, string>
): string {
  const text = plurals.select(Number(count)) === 'one' ? one : other
  return fill(text, { ...values, count: counts.format(count) })
}

/** Returns a sentence with elements, such as links, in its placeholders. */
export function rich<Text extends Sentence>(
  text: Text,
  ...[nodes]: PlaceholderValues<Placeholders<Text>, ReactNode>
): ReactNode {
  const given: Readonly<Record<string, ReactNode>> = nodes ?? {}
  return partsOf(text).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their order
    index % 2 === 0 ? part : <Fragment key={index}>{given[part]}</Fragment>,
  )
}

function fill(text: Sentence, values: Readonly<Record<string, string>> = {}): string {
  return partsOf(text)
    .map((part, index) => (index % 2 === 0 ? part : values[part]))
    .join('')
}

/** What tells a sentence from another one with the same English words: `complete#verb`. */
const CONTEXT = /#\w+$/

/** Returns the words and, at odd indexes, the names of placeholders. */
function partsOf(text: Sentence): string[] {
  return (all[text] ?? text.replace(CONTEXT, '')).split(/\{(\w+)\}/)
}
