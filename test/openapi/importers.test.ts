import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ROOT, TOOLS } from '../support/root.ts'
import { runScript, scratch } from '../support/tool.ts'

const TOOL_MS_MAX = 120_000
const description = join(ROOT, 'openapi.yaml')
const fromBruno = `
  const { openApiToBruno } = require('${join(TOOLS, '@usebruno', 'converters')}')
  const text = await Bun.file('${description}').text()
  await Bun.write('collection.json', JSON.stringify(openApiToBruno(text)))`

/** The converters with which Postman and Bruno import a description. */
const importers = [
  {
    name: 'Postman',
    convert: [
      join(TOOLS, 'openapi-to-postmanv2', 'bin', 'openapi2postmanv2.js'),
      ...['-s', description, '-o', 'collection.json'],
      ...['-O', 'parametersResolution=Example'],
    ],
    send: 'postman.ts',
    // The converter sorts by path, so the sale that this request returns comes after it.
    printed: 'returnOrder: 404, not 201',
  },
  {
    name: 'Bruno',
    convert: ['-e', fromBruno],
    send: 'bruno.ts',
    printed: 'every request of the collection succeeded',
  },
]

for (const { name, convert, send, printed } of importers) {
  test(
    `the converter of ${name} creates a collection in which every request succeeds`,
    async () => {
      using directory = scratch()
      const { path } = directory
      const converted = await runScript(convert, path)
      expect([converted.exitCode, converted.exitCode === 0 ? '' : converted.printed]).toEqual([0, ''])
      const sent = await runScript([join(import.meta.dir, 'generators', send), 'collection.json'], path)
      expect(sent.printed.trim()).toBe(printed)
    },
    TOOL_MS_MAX,
  )
}
