import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settings } from '../../src/config.ts'
import { run, startProcess } from '../support/process.ts'
import { ROOT } from '../support/root.ts'

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** Returns the commands of one section of the README. */
function commandsUnder(heading: string): string {
  const part = readme.split(`## ${heading}\n`)[1] ?? ''
  return /```sh\n([\s\S]*?)```/.exec(part)?.[1] ?? ''
}

test('the commands under "Five minutes" in the README work as described', async () => {
  const data = mkdtempSync(join(tmpdir(), 'petstore-readme-'))
  await using server = await startProcess(['serve', '--port', '0', '--data', data])
  const commands = commandsUnder('Five minutes')
    .replace(/^BASE=.*$/m, `BASE=${server.base}`)
    .replace(/^KEY=.*$/m, `KEY=$(cat ${data}/admin-key)`)
    .replaceAll('curl ', 'curl -sS ')
  const child = Bun.spawn(['bash', '-euc', commands], { stdout: 'pipe', stderr: 'pipe', timeout: 120_000 })
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  expect([await child.exited, errors]).toEqual([0, ''])
  const expected = [
    'rel="next"',
    'Biscuit (Beagle)',
    '"quantity":0,"status":"sold"',
    '{"id":17,"name":"Otters"}',
    '{"id":350,"name":"Ottoline","categoryId":17,"status":"available"}',
    '{"id":1,"petId":350,"quantity":1,"complete":false,"reference":"R-2026-0042"}',
    '"code":"insufficient_stock"',
    '"complete":true',
    '"reason":"completion"',
    '"key":"pst_',
    '"type":"petstore.order.completed"',
    '"meaning":"Fewer units are available than the order requires."',
  ]
  let from = 0
  for (const text of expected) {
    const position = output.indexOf(text, from)
    expect(
      `${text} ${position >= 0 ? 'comes' : 'is missing'} in ${position >= 0 ? 'order' : output.slice(from)}`,
    ).toBe(`${text} comes in order`)
    from = position
  }
  rmSync(data, { recursive: true, force: true })
}, 120_000)

test('docs/cli.md names every local command', async () => {
  const page = readFileSync(join(ROOT, 'docs', 'cli.md'), 'utf8')
  const table = /## The commands\n([\s\S]*?)\n## /.exec(page)?.[1] ?? ''
  const { output } = await run(['--help'])
  const local = [...output.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name)
  expect(local.length).toBeGreaterThan(15)
  const documented = [...table.matchAll(/`([a-z-]+)/g)].map(([, name = '']) => name)
  expect(local.filter(name => name !== 'help' && !documented.includes(name))).toEqual([])
})

test('the README names every setting, with its flag and default', () => {
  for (const { variable, flag, fallback } of Object.values(settings).map(one => ({
    flag: '',
    fallback: '',
    ...one,
  }))) {
    const row = readme.split('\n').find(line => line.startsWith(`| \`${variable}\``)) ?? ''
    expect(`${variable}: ${row}`).toContain(`| \`${variable}\` | ${flag ? `\`${flag.split(' ')[0]}\`` : ''}`)
    if (fallback) expect(row).toContain(`\`${fallback}\``)
  }
})
