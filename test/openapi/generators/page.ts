import type { Outcome } from './try-generator.ts'

const introduction = `# Client generators

\`npm run generators -- --write\` writes this page. It fetches each generator at the version shown, generates a client
from \`openapi.yaml\`, compiles it, and runs a program with it against a demo store. The program lists pets, creates
one, orders it, reads the code of a refused order, and decodes an event of each resource. The programs are in
\`test/openapi/generators/\`. A generator whose toolchain is not installed is skipped.

Two generators cannot decode an event by its discriminator. For them, the command \`sed\` removes the discriminators
from a copy of the description; all others read it unchanged.

A later version of the store may add members and event types. The table says what each client does with an unknown
member of an event or of a pet, and with an unknown event type: \`ignored\`, \`kept\` or \`error\`. Where a type is an
error, request the types you know with \`GET /events?type=\`. The column "64-bit id" says whether 9007199254740993
reaches the store digit for digit. JavaScript rounds such an id; the store never assigns one above 2^53 - 1.
"Seconds" includes downloads, unless they were cached.
`

/** Returns the beginning of the row of a generator: its findings, without the numbers that differ between runs. */
export function findings({ generator, result, observed }: Outcome): string {
  const cells = ['event member', 'pet member', 'event type', 'id'].map(name => observed[name] || '-')
  const [outcome = ''] = result.split(/[:\n]/)
  return `| ${[generator.name, generator.version, outcome, ...cells].join(' | ')} |`
}

/** Returns the text of docs/generators.md: the outcomes of a run. */
export function page(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(outcome => {
    const lines = outcome.codeLines === 0 ? '-' : outcome.codeLines.toLocaleString('en')
    return `${findings(outcome)} ${lines} | ${outcome.seconds} |`
  })
  const commands = outcomes.map(({ generator: { name, install, generate, description } }) =>
    [
      `### ${name}`,
      '',
      '```sh',
      install,
      generate,
      '```',
      ...(description ? ['', description] : []),
      '',
    ].join('\n'),
  )
  return [
    introduction,
    '| Generator | Version | Result | Unknown member of an event | Unknown member of a pet | Unknown event type | 64-bit id | Lines of code | Seconds |',
    '| --- | --- | --- | --- | --- | --- | --- | ---: | ---: |',
    ...rows,
    '',
    '## Commands',
    '',
    'The commands install a generator and generate a client. They run in a directory with a copy of `openapi.yaml`.',
    'Each program has its own folder in `test/openapi/generators/`: `$PROGRAM` is that folder.',
    'How the client and the program are compiled and run is in `generators.ts` and `npm-generators.ts` there.',
    '',
    ...commands,
  ].join('\n')
}
