import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { draftEnd, draftOf } from './draft.ts'

test('the drafts of one process stay beside each other, and one that is asked for again is new', () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-drafts-'))
  // A process that had the same id left this one.
  writeFileSync(join(directory, `old${draftEnd(process.pid)}`), '')
  const [first, second] = ['a', 'b'].map(name => {
    const draft = draftOf(join(directory, name))
    for (const end of ['', '-wal']) writeFileSync(draft + end, '')
    return draft
  })
  expect(readdirSync(directory)).toHaveLength(4)
  expect(draftOf(join(directory, 'a'))).toBe(first ?? '')
  expect(
    readdirSync(directory)
      .toSorted()
      .map(name => join(directory, name)),
  ).toEqual([second ?? '', `${second}-wal`])
  rmSync(directory, { recursive: true })
})
