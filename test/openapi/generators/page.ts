import type { Outcome } from './try-generator.ts'

const introduction = `# Client generators

This page is for whoever generates a client. \`npm run generators -- --write\` tests each generator, and writes this
page.

A later version of the store may add members and event types: the table says what each client does with them. Where an
unknown event type is an error, request the types you know with \`GET /events?type=\`. "64-bit id" says whether
9007199254740993 reaches the store exactly; the store never assigns an id above 2^53 - 1.
`

/** Returns the row of a generator: its findings, or the first line of its failure. */
export function findings({ generator, result, observed }: Outcome): string {
  const [outcome = ''] = result.split(/[:\n]/)
  const cells = ['event member', 'pet member', 'event type', 'id'].map(name => observed[name] || '-')
  return `| ${[generator.name, generator.version, ...(outcome === 'works' ? cells : [outcome])].join(' | ')} |`
}

/** Returns the text of docs/generators.md: the outcomes of a run. */
export function page(outcomes: readonly Outcome[]): string {
  const commands = outcomes.flatMap(({ generator: { generate, description } }) =>
    description ? [generate] : [],
  )
  const descriptions = outcomes.flatMap(({ generator: { name, description } }) =>
    description ? [`- **${name}.** ${description}`] : [],
  )
  return [
    introduction,
    '| Generator | Version | Event member | Pet member | Event type | 64-bit id |',
    '| --- | --- | --- | --- | --- | --- |',
    ...outcomes.map(findings),
    '',
    '## Commands',
    '',
    '`generators.ts` and `npm-generators.ts` have the commands of all generators. Two commands `sed` remove the',
    'discriminators from a copy of `openapi.yaml`.',
    '',
    '```sh',
    ...commands,
    '```',
    '',
    ...descriptions,
    '',
  ].join('\n')
}
