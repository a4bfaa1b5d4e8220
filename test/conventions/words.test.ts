import { expect, test } from 'bun:test'
import { ts } from '@ts-morph/common'
import { german } from '../../src/console/words/german.ts'
import { type Source, sources } from './sources.ts'

/** The attributes and the members whose texts people see or hear. */
const SHOWN = new Set([
  ...['title', 'label', 'placeholder', 'aria-label', 'description', 'message', 'head', 'action', 'another'],
  ...['cancel', 'done', 'doneUnseen', 'warning', 'purpose', 'advice', 'what', 'reachedBy', 'noteHelp'],
  ...['noneText', 'noMatchText', 'mineHead', 'theirsHead', 'showLabel', 'hideLabel', 'nothingFoundMessage'],
])

function parsed({ path, text }: Source): ts.SourceFile {
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
}

/** Returns the nodes of a file that pass a check. */
function nodesOf<Kind extends ts.Node>(source: Source, is: (node: ts.Node) => node is Kind): Kind[] {
  const found: Kind[] = []
  const visit = (node: ts.Node): void => {
    if (is(node)) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(parsed(source))
  return found
}

/** Returns whether a text has words of people: not a key such as `pst_…`, an address, or the name of a file. */
function isWords(text: string): boolean {
  return /\p{L}/u.test(text) && !/_|:\/\/|\.\w+$/.test(text)
}

/** Returns the texts that an expression may have: those of its branches, and of a template. */
function textsIn(node: ts.Node): string[] {
  if (ts.isJsxExpression(node)) return node.expression ? textsIn(node.expression) : []
  if (ts.isParenthesizedExpression(node)) return textsIn(node.expression)
  if (ts.isConditionalExpression(node)) return [...textsIn(node.whenTrue), ...textsIn(node.whenFalse)]
  if (ts.isBinaryExpression(node)) return textsIn(node.right)
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (!ts.isTemplateExpression(node)) return []
  return [[node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' ')]
}

/** Returns whether a text is in the tag `Code`. A command or a file name is not translated. */
function isInCode(node: ts.Node): boolean {
  return ts.isJsxElement(node.parent) && node.parent.openingElement.tagName.getText() === 'Code'
}

/** Returns the texts of a page that are not translated. */
function untranslated(source: Source): string[] {
  const isShown = (name: ts.Node): boolean => SHOWN.has(name.getText().replaceAll("'", ''))
  const texts = [
    ...nodesOf(source, ts.isJsxText)
      .filter(node => !isInCode(node))
      .map(({ text }) => text.trim()),
    ...nodesOf(source, ts.isJsxExpression)
      .filter(({ parent }) => !ts.isJsxAttribute(parent))
      .flatMap(textsIn),
    ...[...nodesOf(source, ts.isJsxAttribute), ...nodesOf(source, ts.isPropertyAssignment)]
      .filter(({ name }) => isShown(name))
      .flatMap(({ initializer }) => (initializer ? textsIn(initializer) : [])),
  ]
  return texts.filter(isWords).map(text => `${source.path}: ${text}`)
}

const files = sources('src/console/**/*.{ts,tsx}').filter(({ path }) => !path.includes('/words/'))

test('every text of the console is a sentence that has translations', () => {
  expect(files.length).toBeGreaterThan(100)
  expect(files.flatMap(untranslated)).toEqual([])
})

test('control: texts that have no translation are detected, also in a branch and in a template', () => {
  const text = [
    'const columns = [{ head: "Time" }, { head: t("Who") }]',
    `const view = <Page title={\`Order \${id}\`} id="order"><Text>Go <b>on</b></Text>{isNew && "New"}`,
    '{isOpen ? t("open") : "closed"}<Code>petstore serve</Code><Field placeholder="pst_…" /></Page>',
  ].join('\n')
  expect(untranslated({ path: 'x.tsx', text }).toSorted()).toEqual([
    'x.tsx: Go',
    'x.tsx: New',
    'x.tsx: Order  ',
    'x.tsx: Time',
    'x.tsx: closed',
    'x.tsx: on',
  ])
})

function stringsIn(files: readonly Source[]): ReadonlySet<string> {
  return new Set(files.flatMap(file => nodesOf(file, ts.isStringLiteralLike)).map(({ text }) => text))
}

/** The files with sentences about files that are imported. The command line has these sentences, too. */
const fileReaders = [...sources('src/catalogue/*.ts'), ...sources('src/shop/imports/limits.ts')]

test('each translated sentence is in the source', () => {
  const texts = stringsIn(files)
  expect(Object.keys(german.sentences).filter(sentence => !texts.has(sentence))).toEqual([])
})

/** Returns the sentence of a template, with numbers for its values. */
function keyOf(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text
  const spans = template.templateSpans.map(({ literal }, index) => `{${index}}${literal.text}`)
  return template.head.text + spans.join('')
}

test('the translated sentences about imported files are those in the source', () => {
  const templates = fileReaders.flatMap(file => nodesOf(file, ts.isTaggedTemplateExpression))
  const keys = new Set(templates.map(({ template }) => keyOf(template)))
  expect(Object.keys(german.files).toSorted()).toEqual([...keys].toSorted())
})

function placeholdersOf(sentence: string): string[] {
  return [...new Set(sentence.match(/\{\w+\}/g))].toSorted()
}

test('a translation has the placeholders of its sentence', () => {
  const pairs = Object.entries({ ...german.sentences, ...german.files })
  expect(pairs.length).toBeGreaterThan(600)
  const different = pairs.filter(([one, other]) => `${placeholdersOf(one)}` !== `${placeholdersOf(other)}`)
  expect(different).toEqual([])
})
