import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { brunoFiles } from './bruno-collection.ts'
import { type CollectionSource, sortedBy } from './collection-source.ts'
import { postmanCollection } from './postman-collection.ts'

// `npm run collections` and `npm pack` run this program. It writes dist/collections/postman.json and
// dist/collections/bruno from openapi.yaml, with the converters of Postman and Bruno. An optional argument names
// another folder.

const ROOT = join(import.meta.dir, '..')

const Reference = z.object({ $ref: z.string() })
const Parameter = z.object({ name: z.string(), in: z.string(), required: z.boolean() })
const Description = z.object({
  tags: z.array(z.object({ name: z.string() })),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        summary: z.string(),
        tags: z.tuple([z.string()]),
        parameters: z.array(z.union([Reference, Parameter])),
        responses: z.record(
          z.string(),
          z.looseObject({ content: z.record(z.string(), z.unknown()).optional() }),
        ),
      }),
    ),
  ),
  components: z.object({ parameters: z.record(z.string(), Parameter) }),
})

const [folder = join(ROOT, 'dist/collections')] = Bun.argv.slice(2)
const text = await readFile(join(ROOT, 'openapi.yaml'), 'utf8')
const source = readSource(text)
const files = new Map([['postman.json', await postmanCollection(source)], ...brunoFiles(source)])
await rm(join(folder, 'bruno'), { recursive: true, force: true })
for (const [path, content] of files) {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), content)
}

/**
 * Returns the source of the collections. A request sends the required parameters, an Idempotency-Key, and the duration
 * of a stream, which would not end otherwise. The other parameters are in the collections too, with their examples, and
 * can be switched on.
 */
function readSource(text: string): CollectionSource {
  const { tags, paths, components } = Description.parse(parse(text))
  const operations = Object.values(paths).flatMap(path => Object.values(path))
  const streams = operations.filter(({ responses }) => responses['200']?.content?.['text/event-stream'])
  const sent = new Set(streams.map(({ summary }) => `${summary} seconds`))
  for (const { summary, parameters } of operations) {
    for (const one of parameters) {
      const parameter = '$ref' in one ? components.parameters[one.$ref.split('/').at(-1) ?? ''] : one
      if (!parameter) throw new Error(`a parameter of "${summary}" is not described`)
      if (parameter.required || parameter.name === 'Idempotency-Key') sent.add(`${summary} ${parameter.name}`)
    }
  }
  const hasStream = (tag: string): boolean => streams.some(stream => stream.tags[0] === tag)
  return {
    text,
    tags: sortedBy(tags, ({ name }) => Number(hasStream(name))).map(({ name }) => name),
    needsDelivery: summary =>
      Object.entries(paths).some(
        ([path, methods]) =>
          path.includes('{deliveryId}') && Object.values(methods).some(one => one.summary === summary),
      ),
    isStream: summary => streams.some(stream => stream.summary === summary),
    isSent: (summary, name) => /^(Accept|Content-Type)$/.test(name) || sent.has(`${summary} ${name}`),
  }
}
