import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findLines } from './numbered-lines.ts'

test('the lines of a log are found beyond the first read, without a line that was written in part', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-lines-'))
  const file = join(directory, 'requests.ndjson')
  const lines = Array.from(
    { length: 400 },
    (_, index) => `{"number":${index + 1},"path":"${'x'.repeat(1500)}"}\n`,
  )
  writeFileSync(file, `${lines.join('')}{"number":401,"path":"x\n{"number":402,"path":"x"}\n{"number":403,`)
  const found = await findLines(file)
  expect(found.map(({ number }) => number)).toEqual([...lines.map((_, index) => index + 1), 402])
  let from = 0
  for (const [index, line] of lines.entries()) {
    expect(found[index]).toEqual({ number: index + 1, from, to: from + line.length - 1 })
    from += line.length
  }
  rmSync(directory, { recursive: true })
})
