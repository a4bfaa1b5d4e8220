import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Glob } from 'bun'
import { ROOT } from '../support/root.ts'

/** The options and commands after which the guides name a file that a person makes, often with keys in it. */
const FILE_AFTER = /(?:--saved?|--link|--names|--rejects|--output|new-secret-key|--key @|@)[ ]?([\w./-]+)/g
const FILE = /^[\w-]+\.(?:csv|txt|tsv|ndjson|link)$|^\.?\/?secret-key$/

/** Returns the files in the current folder that a guide suggests. */
function suggestedFiles(text: string): string[] {
  return [...text.matchAll(FILE_AFTER)].map(([, name = '']) => name).filter(name => FILE.test(name))
}

test('git ignores each file with keys or rows that a guide suggests for the current folder', async () => {
  const guides = ['README.md', ...new Glob('docs/**/*.md').scanSync(ROOT)]
  const names = [
    ...new Set(guides.flatMap(guide => suggestedFiles(readFileSync(`${ROOT}/${guide}`, 'utf8')))),
  ]
  expect(names).toContain('room.csv')
  expect(names).toContain('class.link')
  const ignored = await Bun.$`git check-ignore --no-index ${names}`.cwd(ROOT).nothrow().text()
  expect(ignored.trim().split('\n').sort()).toEqual(names.sort())
})
