import { afterAll, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { readRoster } from '../../src/cli/sandboxes/roster.ts'
import { childEnvironment, command, type ProcessResult, runToEnd } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { scratch } from '../support/tool.ts'

const LESSON = `# HTTP

## 1. Read

\`\`\`check
listPets status=200
\`\`\`

\`\`\`solution
GET /pets
\`\`\`
`
const UNTIL = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
const SCHOOL = 'Nachname;Vorname;Klasse;E-Mail\nMüller;Anna;10b;a1@x.example\nMüller;Anna;10b;a2@x.example\n'

const host = await openSandboxHost()
afterAll(() => host[Symbol.asyncDispose]())

function runIn(directory: string, ...args: string[]): Promise<ProcessResult> {
  return runToEnd(
    command(['class', ...args]).line,
    childEnvironment({ PETSTORE_SANDBOXES: host.base, PETSTORE_KEY: `@${join(host.directory, 'host-key')}` }),
    directory,
  )
}

test('a list of a school becomes a class, and a second run adds only the missing ones', async () => {
  using place = scratch()
  const create = (...options: string[]): Promise<ProcessResult> =>
    runIn(place.path, 'create', '--names', '10b.csv', '--lesson', 'lesson.md', '--until', UNTIL, ...options)
  writeFileSync(join(place.path, '10b.csv'), SCHOOL)
  writeFileSync(join(place.path, 'lesson.md'), LESSON)
  const wrongDay = await create('--until', '2027-02-31')
  expect([wrongDay.exitCode, wrongDay.errors]).toEqual([2, expect.stringContaining('It must be a date')])
  const dry = await create('--dry-run')
  expect([dry.exitCode, dry.output]).toEqual([0, 'Anna Müller (a1@x.example)\nAnna Müller (a2@x.example)\n'])
  expect(dry.errors).toContain('Names: "Vorname" and "Nachname". "E-Mail" makes a student unique.')
  expect(host.host.counts.sandboxes).toBe(0)
  const first = await create()
  expect([first.exitCode, first.errors]).toEqual([0, expect.stringContaining('Added 2 students to 10b')])
  expect(first.errors).toContain(`until ${UNTIL}.`)
  // The class ends with that day on this computer.
  const [ofClass] = host.host.classes.list()
  expect(new Date(`${UNTIL}T23:59:59`).toISOString()).toBe(ofClass?.endsAt.replace('Z', '.000Z') ?? '')
  const link = readFileSync(join(place.path, 'class.link'), 'utf8')
  expect(first.output).toBe(link)
  expect(statSync(join(place.path, 'class.link')).mode & 0o777).toBe(0o600)
  writeFileSync(join(place.path, '10b.csv'), `${SCHOOL}Lovelace;Ada;10b;ada@x.example\n`)
  // The response with the key of the second student was lost.
  const listed = readFileSync(join(place.path, 'sandboxes.csv'), 'utf8').split('\n')
  writeFileSync(join(place.path, 'sandboxes.csv'), `${listed.slice(0, 2).join('\n')}\n`)
  const second = await create()
  expect(second.errors).toMatch(
    /Anna Müller \(a\d@x\.example\) is in the class, but sandboxes\.csv has no key/,
  )
  const others = readFileSync(join(place.path, 'sandboxes.csv'), 'utf8').split('\n').slice(2)
  writeFileSync(join(place.path, 'sandboxes.csv'), [...listed.slice(0, 3), ...others].join('\n'))
  expect([second.exitCode, second.errors]).toEqual([
    0,
    expect.stringContaining('Added 1 student to 10b, until'),
  ])
  expect(second.errors).toContain('2 were in the class already.')
  expect(readFileSync(join(place.path, 'sandboxes.csv'), 'utf8').trim().split('\n')).toHaveLength(4)
  await runToEnd(command(['sandbox', 'print']).line, childEnvironment({}), place.path)
  for (const file of ['sandboxes.csv', 'sandboxes.html'])
    for (const identifier of ['a1@x.example', 'a2@x.example', 'ada@x.example'])
      expect(readFileSync(join(place.path, file), 'utf8')).toContain(identifier)
  expect(
    readFileSync(join(place.path, 'sandboxes.html'), 'utf8').match(/QR code of the lesson/g),
  ).toHaveLength(3)
  const results = await runIn(place.path, 'results')
  expect(results.output).toStartWith(
    'student,identifier,exercise,state,when,tries\nAda Lovelace,ada@x.example,1. Read,open,,0\n',
  )
  expect((await runIn(place.path, 'delete')).errors).toContain('confirm with --yes')
  expect((await runIn(place.path, 'delete', '--yes')).exitCode).toBe(0)
  expect([host.host.classes.list(), host.host.counts.sandboxes]).toEqual([[], 0])
})

test('a class without a list gets a link, which ends with the next one, and another lesson', async () => {
  using place = scratch()
  writeFileSync(join(place.path, 'lesson.md'), LESSON)
  const create = (...options: string[]): Promise<ProcessResult> =>
    runIn(place.path, 'create', '--lesson', 'lesson.md', '--until', UNTIL, ...options)
  for (const options of [[], ['--places', '2', '--names', '10b.csv'], ['--places', '301']])
    expect((await create(...options)).exitCode).toBe(2)
  const lost = await create('--places', '2', '--link', 'missing/class.link')
  expect([lost.exitCode, lost.errors]).toEqual([
    2,
    expect.stringMatching(/^The file missing\/class\.link cannot be written: .*Nothing was created\.\n$/),
  ])
  expect(host.host.classes.list()).toEqual([])
  const created = await create('--places', '2')
  expect([created.exitCode, created.errors]).toEqual([0, `lesson has 2 places, until ${UNTIL}.\n`])
  const larger = await create('--places', '3')
  expect([larger.output, larger.errors]).toEqual([created.output, `lesson has 3 places, until ${UNTIL}.\n`])
  const [first, second] = [await runIn(place.path, 'invite'), await runIn(place.path, 'invite')]
  const [, id = ''] = /board\/(\w+)/.exec(created.output) ?? []
  expect(second.output).toMatch(new RegExp(`^${host.base}/join/${id}#code=psc_[0-9a-f]{32}\n$`))
  const read = async ({ output }: ProcessResult): Promise<number> => {
    const headers = { Authorization: `Bearer ${output.trim().replace(/.*code=/, '')}` }
    return (await fetch(`${host.base}/classes/${id}/join`, { headers })).status
  }
  expect([await read(first), await read(second)]).toEqual([401, 200])
  expect((await runIn(place.path, 'invite', '--close')).errors).toBe('The link is closed.\n')
  expect(await read(second)).toBe(401)
  writeFileSync(join(place.path, 'next.md'), LESSON.replace('1. Read', '1. Look'))
  const updated = await runIn(place.path, 'update', '--lesson', 'next.md')
  expect([updated.exitCode, updated.errors]).toEqual([0, 'The lesson was replaced: 1. Look.\n'])
  writeFileSync(join(place.path, 'next.md'), '# Nothing to do\n')
  expect((await runIn(place.path, 'update', '--lesson', 'next.md')).exitCode).toBe(1)
  expect(host.host.classes.board(id).exercises).toMatchObject([{ title: '1. Look' }])
  await runIn(place.path, 'delete', '--yes')
})

test.each([
  ['Ada\nGrace\n', ['Ada', 'Grace'], 'Each line is a name'],
  ['Name,Klasse\nAda,10b\n', ['Ada'], 'Names: "Name". The name makes a student unique.'],
  [
    '\ufeffVorname\tNachname\tE-Mail\nAda\tLovelace\t\n',
    ['Ada Lovelace'],
    '"E-Mail" makes a student unique.',
  ],
  [
    'Klassenliste;;\nSchüler;;\n\nName;Vorname;E-Mail\nLovelace;Ada;a@x.example\n',
    ['Ada Lovelace'],
    'Names: "Vorname" and "Name". "E-Mail" makes',
  ],
  ['Raum 7\nStand\nA\nB\nC\nVorname;Name\nAda;Lovelace\n', ['Ada Lovelace'], 'Names: "Vorname" and "Name".'],
  ['sep=;\nLast name;First name;Student ID\nLovelace;Ada;007\n', ['Ada Lovelace'], '"Student ID" makes'],
])('the list %j has these names', async (text, names, about) => {
  using place = scratch()
  const file = join(place.path, 'list.csv')
  writeFileSync(file, text)
  const roster = await readRoster(file)
  expect(roster.students.map(({ name }) => name)).toEqual(names)
  expect(roster.about).toContain(about)
})

test('the list may be a workbook of Excel, with a title above its header', async () => {
  using place = scratch()
  const file = join(place.path, 'list.xlsx')
  const rows = [['Klasse 10b'], ['Nachname', 'Vorname', 'E-Mail'], ['Lovelace', 'Ada', 'ada@x.example']]
  writeFileSync(file, workbookOf(rows))
  expect((await readRoster(file)).students).toEqual([{ name: 'Ada Lovelace', identifier: 'ada@x.example' }])
})

/** Returns a workbook (XLSX) with one sheet. */
function workbookOf(rows: readonly (readonly string[])[]): Uint8Array {
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
  const relations = (type: string, target: string): string =>
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' +
    `<Relationship Id="r1" Type="${office}/${type}" Target="${target}"/></Relationships>`
  const cell = (text: string, column: number, row: number): string =>
    `<c r="${String.fromCharCode(65 + column)}${row + 1}" t="inlineStr"><is><t>${text}</t></is></c>`
  const sheet = rows
    .map(
      (cells, row) =>
        `<row r="${row + 1}">${cells.map((text, column) => cell(text, column, row)).join('')}</row>`,
    )
    .join('')
  const parts = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': relations('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml':
      `<workbook ${main} xmlns:r="${office}">` +
      '<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations('worksheet', 'worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `<worksheet ${main}><sheetData>${sheet}</sheetData></worksheet>`,
  }
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])))
}

test.each([
  ['Ada\nada\n', 'two students that cannot be told apart: "ada" with "ada". Add a column such as E-Mail'],
  ['Vorname;Nachname;E-Mail\nA;B;x@x.example\nC;D;X@x.example\n', 'cannot be told apart: "C D"'],
  ['\n', 'has no names'],
  [`${'x'.repeat(101)}\n`, 'more than 100 characters'],
])('the list %j is refused with a reason', async (text, reason) => {
  using place = scratch()
  const file = join(place.path, 'list.csv')
  writeFileSync(file, text)
  expect(await readRoster(file).catch(error => error.message)).toContain(reason)
})

test('the solutions of the lessons of the guide meet their checks, and a wrong solution is reported', async () => {
  using place = scratch()
  for (const [lesson, exercises] of [
    ['lesson.md', 8],
    ['lesson-retries.md', 5],
  ] as const) {
    const { exitCode, output, errors } = await runIn(place.path, 'check', join(ROOT, 'docs', lesson))
    expect([exitCode, output.match(/^met /gm)?.length, errors]).toEqual([
      ...[0, exercises],
      'Each solution meets its check, and no check is met without it.\n',
    ])
  }
  const text = LESSON.replace('GET /pets', 'GET /petz').concat(
    '\n## 2. Stock\n\n```check\nstate /categories/1 body:/name=Dogs\n```\n',
  )
  writeFileSync(join(place.path, 'wrong.md'), text)
  const wrong = await runIn(place.path, 'check', 'wrong.md')
  expect([wrong.exitCode, wrong.output]).toEqual([1, 'NOT MET  1. Read\nNOT MET  2. Stock\n'])
  for (const line of [
    '"1. Read": the solution does not meet its check.\n  not met: listPets status=200\n  GET /petz: status 404',
    '"2. Stock": a line of the check holds before any request.',
    '"2. Stock": there is no solution.',
  ])
    expect(wrong.errors).toContain(line)
  writeFileSync(join(place.path, 'broken.md'), '## A\n\n```check\nlistPetz\n```\n')
  expect((await runIn(place.path, 'check', 'broken.md')).errors).toContain('did you mean listPets?')
})
