import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT } from '../support/root.ts'
import { importsOf, isProgram, type Source, sources, TYPESCRIPT } from './sources.ts'

const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')

/**
 * Returns the rooms in the picture of a page, with what each may import in addition to itself: rooms, or single files
 * of a room. A file at the root of src counts as a room. Long lines continue on the next line.
 */
function roomsInPicture(page: string): Record<string, string[]> {
  const [, picture = ''] = /^ROOM .*\n([\s\S]*?)^```/m.exec(page) ?? []
  const rooms: Record<string, string[]> = {}
  let imports: string[] = []
  for (const line of picture.trimEnd().split('\n')) {
    const [room = '', ...columns] = line.split(/ {2,}/)
    if (room !== '') rooms[room] = imports = []
    imports.push(...(columns.at(-1) ?? '').split(' ').filter(name => name !== '-'))
  }
  return rooms
}

const mayImport = roomsInPicture(page)

/** The layers of a noun in shop, by the name of a file. No file imports a higher layer, of its own or another noun. */
const layers: readonly RegExp[] = [
  /(^|-)(schema|limits|status|event-types|stock-units)\.ts$/,
  /^refusals\.ts$/,
  /^(operations|examples)\.ts$/,
  /^(?!(commands|queries|run)\.ts$)/,
]

/** Returns the layer of a file of shop. The registries of verbs are the last one. */
function layerOf(path: string): number {
  const name = path.split('/').at(-1) ?? ''
  const layer = layers.findIndex(pattern => pattern.test(name))
  return layer < 0 ? layers.length : layer
}

/** The folders that the tests of every subject may import. */
const SHARED_BY_TESTS = ['src', 'test/support', 'test/controls']

/** Stands for the files of test/support that import nothing from src, directly or through other files. */
const STANDALONE = 'standalone'
/** The folders and files that each folder outside src may import, in addition to itself. */
const mayImportOutside: Readonly<Record<string, readonly string[]>> = {
  examples: [],
  bench: ['src', STANDALONE, 'test/support/store.ts'],
  // The build generates and packs the client.
  build: ['src'],
  'test/support': ['src'],
  'test/controls': ['src', 'test/support'],
  'test/mutants': ['test/support'],
  'test/catalogue': SHARED_BY_TESTS,
  'test/cli': SHARED_BY_TESTS,
  'test/client': [...SHARED_BY_TESTS, 'build'],
  'test/conventions': SHARED_BY_TESTS,
  'test/deploy': SHARED_BY_TESTS,
  'test/database': SHARED_BY_TESTS,
  'test/http': SHARED_BY_TESTS,
  'test/openapi': [...SHARED_BY_TESTS, 'build', 'test/releases/release.ts'],
  'test/releases': [...SHARED_BY_TESTS, 'build'],
  'test/sandboxes': SHARED_BY_TESTS,
  'test/serving': SHARED_BY_TESTS,
  'test/shop': SHARED_BY_TESTS,
  'test/tools': [...SHARED_BY_TESTS, 'test/openapi/generators'],
  'test/transfer': SHARED_BY_TESTS,
  'test/console': SHARED_BY_TESTS,
  'test/webhooks': SHARED_BY_TESTS,
  'test/pictures.ts': ['src', 'test/support'],
  'test/prove.ts': ['test/support'],
  'test/prove-files.ts': ['test/support'],
  'test/prove-postgres.ts': ['test/support'],
  'test/prove-cluster.ts': ['test/support'],
  'test/prove-host.ts': ['src', 'test/sandboxes', 'test/support'],
  'test/run.ts': ['test/support'],
  'test/install-tools.ts': [],
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

/** Returns the folder of a file outside src: `bench`, `test/shop`. A file at the root of test counts as a folder. */
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

/** Returns the imports between files of shop that lead to a higher layer. */
function upwardImports(source: Source): string[] {
  if (!source.path.startsWith('src/shop/')) return []
  return importsOf(source)
    .filter(path => path.startsWith('src/shop/') && layerOf(path) > layerOf(source.path))
    .map(path => `${source.path} imports ${path}`)
}

test('a folder of src imports only the folders that the import rule allows', () => {
  expect(sources('src/**/*.{ts,tsx}').filter(isProgram).flatMap(forbiddenImports)).toEqual([])
})

test('control: an import against the rule is detected', () => {
  const wrong = importing('src/shop/pets/schema.ts', 'src/http/router/routes.ts')
  expect(forbiddenImports(wrong)).toEqual(['src/shop/pets/schema.ts imports src/http/router/routes.ts'])
  expect(forbiddenImports({ path: 'src/extras/x.ts', text: '' })).toHaveLength(1)
  const client = importing('src/client/client.ts', 'src/values/json.ts', 'src/shop/pets/schema.ts')
  expect(forbiddenImports(client)).toEqual(['src/client/client.ts imports src/shop/pets/schema.ts'])
})

/** Returns the rooms in the picture of a page that may import a room below them. */
function upwardInPicture(text: string): string[] {
  const rooms = Object.entries(roomsInPicture(text))
  const order = rooms.map(([room]) => room)
  const isBelow = (name: string, room: string) =>
    order.indexOf(folderOf(`src/${name}`)) >= order.indexOf(room)
  return rooms.filter(([room, names]) => names.some(name => isBelow(name, room))).map(([room]) => room)
}

test('no room in the picture of ARCHITECTURE.md imports a room below it', () => {
  expect(Object.keys(mayImport)).toContain('shop')
  expect(upwardInPicture(page)).toEqual([])
  const [line = ''] = /^main\.ts .*\n/m.exec(page) ?? []
  expect(upwardInPicture(page.replace(line, '').replace('values  ', `${line}values  `))).toEqual(['main.ts'])
})

test('build, examples, bench and test import only what the import rule allows', () => {
  const files = sources('{build,examples,bench,test}/**/*.{ts,mjs}')
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
    importing('bench/run.ts', 'src/serving/server.ts', 'test/support/process.ts', 'test/support/store.ts'),
    importing(
      'test/openapi/x.test.ts',
      'test/openapi/fuzz/run.ts',
      'test/controls/x.ts',
      'test/support/shop.ts',
    ),
  ]
  expect(forbiddenOutside([...support, ...allowed])).toEqual([])
  const wrong = [
    ['examples/x.ts', 'src/serving/server.ts'],
    ['examples/x.ts', 'test/support/until.ts'],
    ['bench/x.ts', 'test/support/shop.ts'],
    ['bench/x.ts', 'test/shop/x.ts'],
    ['test/support/x.ts', 'test/controls/x.ts'],
    ['test/controls/x.ts', 'test/shop/x.ts'],
    ['test/shop/x.ts', 'test/webhooks/x.ts'],
    ['test/shop/x.ts', 'test/openapi/fuzz/run.ts'],
    ['test/shop/x.ts', 'bench/run.ts'],
    ['test/run.ts', 'src/serving/server.ts'],
  ] as const
  expect(forbiddenOutside([...support, ...wrong.map(([path, name]) => importing(path, name))])).toEqual(
    wrong.map(([path, name]) => `${path} imports ${name}`),
  )
  expect(forbiddenOutside([importing('test/extras/x.ts')])).toHaveLength(1)
})

test('a schema imports no refusal, a refusal no operation, and an operation no verb, of any noun', () => {
  const files = sources('src/shop/**/*.ts').filter(isProgram)
  expect(files.filter(({ path }) => layerOf(path) < 3).length).toBeGreaterThan(20)
  expect(files.flatMap(upwardImports)).toEqual([])
})

test('control: an operation that imports a verb is detected', () => {
  const wrong = importing(
    'src/shop/pets/operations.ts',
    'src/shop/orders/verbs.ts',
    'src/shop/pets/schema.ts',
  )
  expect(upwardImports(wrong)).toEqual(['src/shop/pets/operations.ts imports src/shop/orders/verbs.ts'])
})

/** Returns each cycle of an import graph, such as `a.ts -> b.ts -> a.ts`. */
function cyclesIn(imports: ReadonlyMap<string, Iterable<string>>): string[] {
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

function importCycles(files: readonly Source[]): string[] {
  return cyclesIn(new Map(files.map(file => [file.path, importsOf(file)])))
}

/** Returns the cycles of the folders of src. A file at the root of src counts as a folder. */
function folderCycles(files: readonly Source[]): string[] {
  const folderOfFile = (path: string): string => (dirname(path) === 'src' ? path : dirname(path))
  const imports = new Map<string, Set<string>>()
  for (const file of files) {
    const folder = folderOfFile(file.path)
    const others = importsOf(file)
      .map(folderOfFile)
      .filter(other => other !== folder)
    imports.set(folder, new Set([...(imports.get(folder) ?? []), ...others]))
  }
  return cyclesIn(imports)
}

test('no .ts or .tsx file imports itself through other files', () => {
  expect(importCycles(sources(TYPESCRIPT))).toEqual([])
})

test('no folder of src imports itself through other folders', () => {
  expect(folderCycles(sources('src/**/*.{ts,tsx}').filter(isProgram))).toEqual([])
  // A control: two files of each folder, without a cycle of files.
  const wrong = [
    importing('src/shop/pets/verbs.ts', 'src/shop/stock/rows.ts'),
    importing('src/shop/stock/totals.ts', 'src/shop/pets/schema.ts'),
  ]
  expect(folderCycles(wrong)).toEqual(['src/shop/pets -> src/shop/stock -> src/shop/pets'])
})

test('control: a cycle of imports is detected, also through .tsx files and dynamic imports', () => {
  const paths = ['src/a.ts', 'src/b.tsx', 'src/c.ts']
  const files = paths.map((path, index) => importing(path, paths[(index + 1) % 3] ?? ''))
  expect(importCycles(files)).toEqual(['src/a.ts -> src/b.tsx -> src/c.ts -> src/a.ts'])
  const view: Source = importing('src/view.tsx', 'src/views.ts')
  const views: Source = { path: 'src/views.ts', text: "const load = () => import('./view.tsx')" }
  expect(importCycles([view, views])).toEqual(['src/view.tsx -> src/views.ts -> src/view.tsx'])
})

/** The commands that work on a stored store, with or without a running server. */
const storageCommands = [
  ...['migrate', 'copy', 'backup', 'restore', 'reset', 'export'].map(name => `src/cli/copies/${name}.ts`),
  ...['src/cli/keys/keys.ts', 'src/cli/import/import.ts'],
  ...['src/cli/inspect/audit.ts', 'src/cli/inspect/doctor.ts'],
]
/** The rooms that such a command never loads. */
const serverRooms = /^src\/(http|webhooks|sandboxes)\//

/** Returns the files that a file loads, directly and through other files. Imports of types load nothing. */
function loadedBy(path: string, files: ReadonlyMap<string, Source>, seen = new Set<string>()): Set<string> {
  const file = files.get(path)
  if (!file || seen.has(path)) return seen
  seen.add(path)
  const text = file.text.replaceAll(/(?:import|export) type [^'=]*'[^']*'/g, '')
  for (const next of importsOf({ path, text })) loadedBy(next, files, seen)
  return seen
}

test('a command for a stored store loads no module of the HTTP server and none of the outgoing webhooks', () => {
  const files = new Map(sources('src/**/*.ts').map(file => [file.path, file]))
  const loaded = storageCommands.map(path => [...loadedBy(path, files)])
  expect(Math.min(...loaded.map(({ length }) => length))).toBeGreaterThan(50)
  expect(loaded.flat().filter(path => serverRooms.test(path))).toEqual([])
  // A control: the command that serves a store loads them.
  expect([...loadedBy('src/cli/serve/serve.ts', files)].some(path => serverRooms.test(path))).toBe(true)
})

/** Returns the sources without the imports that are made later. */
function loadedAtStart(files: readonly Source[]): Map<string, Source> {
  const early = files.map(({ path, text }) => ({ path, text: text.replaceAll(/import\('[^']*'\)/g, '') }))
  return new Map(early.map(file => [file.path, file]))
}

test('the workers of SQLite load no schema, and their store loads PostgreSQL and backups only when needed', () => {
  const all = sources('src/**/*.ts')
  const schemas = new Set(
    all.filter(({ text }) => /^import \{.* from 'zod'$/m.test(text)).map(({ path }) => path),
  )
  const files = loadedAtStart(all)
  const schemasIn = (path: string) => [...loadedBy(path, files)].filter(loaded => schemas.has(loaded))
  expect(['writer', 'reader'].flatMap(name => schemasIn(`src/serving/sqlite-${name}.ts`))).toEqual([])
  // A control: the thread that serves HTTP validates requests with them.
  expect(schemasIn('src/cli/serve/serve.ts').length).toBeGreaterThan(20)
  const later = /^src\/(database\/postgres\/engine|transfer\/sqlite-backup)\.ts$/
  expect([...loadedBy('src/cli/serve/serve.ts', files)].filter(path => later.test(path))).toEqual([])
})

test('the package of the protocol of agents is loaded only for the first message', () => {
  const all = sources('src/**/*.ts')
  const users = all.filter(({ text }) => text.includes("'@modelcontextprotocol/"))
  expect(users.map(({ path }) => path)).toEqual(['src/http/agents/protocol.ts'])
  const atStart = loadedBy('src/cli/serve/serve.ts', loadedAtStart(all))
  expect(atStart).toContain('src/http/agents/agents.ts')
  expect(atStart).not.toContain('src/http/agents/protocol.ts')
  // A control: a later import leads there.
  const everything = new Map(all.map(file => [file.path, file]))
  expect(loadedBy('src/cli/serve/serve.ts', everything)).toContain('src/http/agents/protocol.ts')
})
