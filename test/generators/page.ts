import type { Outcome } from './try-generator.ts'

const introduction = `# Client generators

\`npm run generators -- --write\` writes this page. It fetches each generator at the version shown, generates a client
from \`openapi.yaml\` unchanged, compiles it, and runs a program with it against a demo store. The program lists pets,
creates one, orders it, reads the code of a refused order, and decodes an event of each resource. The programs are in
\`test/generators/\`.

A later version of the store may add members and event types. The table says what each client does with a member or an
event type that it does not know: \`ignored\`, \`kept\` or \`error\`. Where a type is an error, ask for the types you
know with \`GET /events?type=\`. The column "64-bit id" says whether 9007199254740993 reaches the store digit for digit.

The client of ogen is large: 334,684 lines now, 372,691 with the description before.
`

/** docs/generators.md: the outcomes of a run. */
export function page(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ generator, result, observed, codeLines }) => {
    const cells = ['event member', 'pet member', 'event type', 'id'].map(name => observed[name] || '-')
    const lines = codeLines === 0 ? '-' : codeLines.toLocaleString('en')
    const [outcome = ''] = result.split(/[:\n]/)
    return `| ${[generator.name, generator.version, outcome, ...cells, lines].join(' | ')} |`
  })
  const commands = outcomes.map(({ generator: { name, generate, description } }) =>
    [`### ${name}`, '', '```sh', generate, '```', ...(description ? ['', description] : []), ''].join('\n'),
  )
  return [
    introduction,
    '| Generator | Version | Result | Event member | Pet member | Event type | 64-bit id | Lines of code |',
    '| --- | --- | --- | --- | --- | --- | --- | ---: |',
    ...rows,
    '',
    '## Commands',
    '',
    ...commands,
  ].join('\n')
}
