import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../support/process.ts'
import { ROOT } from '../support/root.ts'

test('petstore licenses prints the license of the store, and THIRD-PARTY.md', async () => {
  const { exitCode, output, errors } = await run(['licenses'])
  expect([exitCode, errors]).toEqual([0, ''])
  for (const file of ['LICENSE', 'THIRD-PARTY.md'])
    expect(output).toContain(readFileSync(join(ROOT, file), 'utf8'))
})

test('petstore licenses --summary prints the name, version and license of each package', async () => {
  const { exitCode, output } = await run(['licenses', '--summary'])
  const lines = output.trim().split('\n')
  const rows =
    readFileSync(join(ROOT, 'THIRD-PARTY.md'), 'utf8').match(/^\| [^|]+ \| \d[^|]* \| [^|]+ \|$/gm) ?? []
  expect([exitCode, lines.length]).toEqual([0, rows.length])
  for (const row of rows) {
    const [, name, version, license] = row.split('|').map(cell => cell.trim())
    expect(lines).toContain(`${name} ${version} ${license}`)
  }
})
