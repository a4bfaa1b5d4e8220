import type { SourceChange } from './mutant.ts'

/** The text of a statement: `sql<Row>()(`...`)`, or a part of one, which begins with a word of SQL. */
const STATEMENT = /`\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|UNION|WHERE|AND|OR|ORDER|FROM|SET)\b[^`]*`/g

/** Mistakes that a person makes in SQL: each finds a text, and has what it becomes. */
const MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/<=/g, '<'],
  [/>=/g, '>'],
  [/(?<=[\w)] )<(?= [\w$(])/g, '<='],
  [/(?<=[\w)] )>(?= [\w$(])/g, '>='],
  [/ \+ (?=[\w$])/g, ' - '],
  [/ - (?=[\w$])/g, ' + '],
  [/\bAND\b(?! \d)/g, 'OR'],
  [/\bOR\b/g, 'AND'],
  [/\bIS NOT NULL\b/g, 'IS NULL'],
  [/\bIS NULL\b/g, 'IS NOT NULL'],
  [/ DESC\b/g, ''],
  [/\bASC\b/g, 'DESC'],
  [/\bmin\(/g, 'max('],
  [/\bmax\(/g, 'min('],
  [/\bDISTINCT /g, ''],
  // A condition that was forgotten.
  [/ AND [\w.]+ (?:=|<|>|<=|>=|<>) \$\w+/g, ''],
]

/** Returns the mistakes that can be made in the SQL of a source. */
export function sqlMutantsOf(source: string): SourceChange[] {
  return [...source.matchAll(STATEMENT)].flatMap(({ 0: text, index }) =>
    MISTAKES.flatMap(([pattern, after]) =>
      [...text.matchAll(pattern)].map(({ 0: before, index: place }) => ({
        at: index + place,
        before,
        after,
        kind: 'SQL',
      })),
    ),
  )
}
