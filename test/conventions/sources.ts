import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { ROOT } from '../support/root.ts'

/** A file of the repository. */
export interface Source {
  readonly path: string
  readonly text: string
}

export const TYPESCRIPT = '{src,build,test,bench}/**/*.{ts,tsx}'

/** Returns the files that match a pattern, without installed packages. */
export function sources(pattern: string): Source[] {
  return [...new Glob(pattern).scanSync(ROOT)]
    .filter(path => !path.includes('node_modules'))
    .sort()
    .map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}

/** Returns whether a file is neither a test nor a file of declarations. */
export function isProgram({ path }: Source): boolean {
  return !/\.(test|d)\.ts$/.test(path)
}

/** Returns the paths of the files that a file imports, also dynamically. */
export function importsOf({ path, text }: Source): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map(match => match[1] ?? '')
  return specifiers.map(specifier => join(path, '..', specifier))
}
