import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ts } from '@ts-morph/common'
import { Glob } from 'bun'
import { analyse } from 'scslre'
import { ROOT } from '../support/root.ts'

/** Returns the regular expressions of a source file, with their flags. */
function patternsIn({ path, text }: { path: string; text: string }): RegExp[] {
  const found: RegExp[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(literal(node.text))
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return found
}

function literal(text: string): RegExp {
  const end = text.lastIndexOf('/')
  return new RegExp(text.slice(1, end), text.slice(end + 1))
}

/** Returns the patterns that, on some input, take more steps than a constant times its length. */
function superlinear(patterns: readonly RegExp[]): string[] {
  return patterns.filter(pattern => analyse(pattern).reports.length > 0).map(String)
}

const sources = [...new Glob('src/**/*.{ts,tsx}').scanSync(ROOT)]
  .filter(path => !/\.test\.tsx?$/.test(path))
  .map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

test('no regular expression in src takes more steps than a constant times the length of its input', () => {
  const patterns = sources.flatMap(patternsIn)
  expect(patterns.length).toBeGreaterThan(30)
  expect(superlinear(patterns)).toEqual([])
})

test('no regular expression in src is built from text at run time', () => {
  expect(sources.filter(({ text }) => /\bRegExp\(/.test(text)).map(({ path }) => path)).toEqual([])
})

test('control: patterns that backtrack are detected', () => {
  const text = [
    'const token = /^Bearer +(.*\\S) *$/i',
    'const link = /<([^>]*)>; rel="next"/',
    'const word = /^(a+)+$/',
    'const good = /^[a-z]+$/',
  ]
  expect(superlinear(patternsIn({ path: 'src/model/x.ts', text: text.join('\n') }))).toEqual([
    '/^Bearer +(.*\\S) *$/i',
    '/<([^>]*)>; rel="next"/',
    '/^(a+)+$/',
  ])
})
