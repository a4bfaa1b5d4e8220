import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { parse } from 'yaml'
import { commandVariables, settings } from '../../src/config.ts'
import { run, startProcess } from '../support/process.ts'
import { ROOT } from '../support/root.ts'

/** Returns the commands of one section of a page. */
function commandsUnder(heading: string, page: string): string {
  const part = page.split(`## ${heading}\n`)[1] ?? ''
  return /```sh\n([\s\S]*?)```/.exec(part)?.[1] ?? ''
}

/** Runs the commands of a section against a new demo shop, and returns their output. */
async function outputOf(section: string): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), 'petstore-readme-'))
  await using server = await startProcess(['serve', '--port', '0', '--data', data])
  const commands = section
    .replace(/^BASE=.*$/m, `BASE=${server.base}`)
    .replace(/^(?:export )?KEY=.*$/m, `KEY=$(cat ${data}/admin-key)`)
    .replaceAll('curl ', 'curl -sS ')
  const child = Bun.spawn(['bash', '-euc', commands], { stdout: 'pipe', stderr: 'pipe', timeout: 120_000 })
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  expect([await child.exited, errors]).toEqual([0, ''])
  rmSync(data, { recursive: true, force: true })
  return output
}

/** Returns the expected texts that are missing from the output, or that are out of order. */
function missingTexts(output: string, expected: readonly string[]): string[] {
  let from = 0
  return expected.filter(text => {
    const position = output.indexOf(text, from)
    if (position >= 0) from = position
    return position < 0
  })
}

const SALE = [
  '{"id":17,"name":"Otters"}',
  '{"id":350,"name":"Ottoline","categoryId":17,"status":"available"}',
  '{"id":1,"petId":350,"quantity":1,"complete":false,"reference":"R-2026-0042","createdAt":"',
  '"code":"insufficient_stock"',
  '"complete":true',
]

test('the commands under "Five minutes" in docs/start.md work as described', async () => {
  const page = readFileSync(join(ROOT, 'docs', 'start.md'), 'utf8')
  const output = await outputOf(commandsUnder('Five minutes', page))
  const before = ['rel="next"', 'Biscuit (Beagle)']
  const after = [
    '"reason":"completion"',
    '"type":"petstore.order.completed"',
    '"meaning":"Fewer units are available than the order requires."',
  ]
  expect(missingTexts(output, [...before, ...SALE, ...after])).toEqual([])
}, 120_000)

test('the commands in the introduction of the description make a first call', async () => {
  const { info } = parse(readFileSync(join(ROOT, 'openapi.yaml'), 'utf8'))
  const output = await outputOf(commandsUnder('First call', String(info.description)))
  const expected = [
    '"name":"Anansi (Rhodesian Ridgeback)"',
    '{"id":1,"petId":3,"quantity":1,"complete":false,"createdAt":"',
  ]
  expect(missingTexts(output, expected)).toEqual([])
}, 120_000)

test('the README has at most 60 lines', () => {
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(60)
})

test('every relative link of the documents leads to an existing file, and its anchor to a heading', () => {
  const pages = ['*.md', 'docs/**/*.md', 'src/client/*.md'].flatMap(pattern => [
    ...new Glob(pattern).scanSync(ROOT),
  ])
  const broken = pages.flatMap(page => {
    const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '')
    return [...text.matchAll(/\]\((?!https?:)([^)\s]*)\)/g)].flatMap(([, target = '']) => {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path)
      if (!existsSync(file)) return [`${page}: ${target}`]
      return anchor === undefined || anchorsOf(file).includes(anchor) ? [] : [`${page}: ${target}`]
    })
  })
  expect([pages.includes('docs/internals/cache.md'), broken]).toEqual([true, []])
})

/** Returns the anchors of the headings of a page, as Git hosts make them. */
function anchorsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/```[\s\S]*?```/g, '')
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('docs/cli.md names every local command', async () => {
  const page = readFileSync(join(ROOT, 'docs', 'cli.md'), 'utf8')
  const table = /## The commands\n([\s\S]*?)\n## /.exec(page)?.[1] ?? ''
  const { output } = await run(['--help'])
  const local = [...output.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name)
  expect(local.length).toBeGreaterThan(15)
  const documented = [...table.matchAll(/`([a-z-]+)/g)].map(([, name = '']) => name)
  expect(local.filter(name => name !== 'help' && !documented.includes(name))).toEqual([])
})

test('docs/running.md names every setting, with its flag and default', () => {
  const page = readFileSync(join(ROOT, 'docs', 'running.md'), 'utf8')
  for (const { variable, flag, fallback } of Object.values(settings).map(one => ({
    flag: '',
    fallback: '',
    ...one,
  }))) {
    const row = page.split('\n').find(line => line.startsWith(`| \`${variable}\``)) ?? ''
    const names = flag ? `\`${variable}\`, \`${flag.split(' ')[0]}\`` : `\`${variable}\``
    expect(`${variable}: ${row}`).toStartWith(`${variable}: | ${names} |`)
    if (fallback) expect(row).toContain(`| \`${fallback}\` |`)
  }
})

test('the help of serve lists the variable of every setting, and docs/cli.md those of the commands', async () => {
  const { output } = await run(['serve', '--help'])
  const page = readFileSync(join(ROOT, 'docs', 'cli.md'), 'utf8')
  expect(Object.values(settings).filter(({ variable }) => !output.includes(variable))).toEqual([])
  expect(Object.keys(commandVariables).filter(variable => !page.includes(`\`${variable}\``))).toEqual([])
})
