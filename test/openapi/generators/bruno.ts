import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type CollectionRequest, runCollection } from './collections.ts'

// Sends each request of the Bruno collection that the first argument names, and reports those that fail.

const Field = z.looseObject({ name: z.string(), value: z.coerce.string(), enabled: z.boolean() })
const Request = z.looseObject({
  method: z.string(),
  url: z.string(),
  params: z.array(Field.extend({ type: z.enum(['path', 'query']) })),
  headers: z.array(Field),
  body: z.looseObject({ mode: z.string(), json: z.string().nullish() }),
})
const Folder = z.looseObject({ items: z.array(z.unknown()) })
const Leaf = z.looseObject({ request: Request })

const [file = ''] = Bun.argv.slice(2)
const problems = await runCollection(requestsIn(JSON.parse(readFileSync(file, 'utf8'))))
for (const line of problems) console.log(line)
if (problems.length === 0) console.log('every request of the collection succeeded')
process.exit(problems.length === 0 ? 0 : 1)

/** Returns the requests of a Bruno collection, top to bottom. */
function requestsIn(node: unknown): readonly CollectionRequest[] {
  const folder = Folder.safeParse(node)
  if (folder.success) return folder.data.items.flatMap(requestsIn)
  const { method, url, params, headers, body } = Leaf.parse(node).request
  const values = (type: 'path' | 'query'): [string, string][] =>
    params.filter(param => param.type === type && param.enabled).map(({ name, value }) => [name, value])
  // Bruno sends a JSON body with this content type, also if the collection has another one.
  const contentType: [string, string][] = body.mode === 'json' ? [['Content-Type', 'application/json']] : []
  return [
    {
      method,
      path: url.replace('{{baseUrl}}', ''),
      pathValues: Object.fromEntries(values('path')),
      query: values('query'),
      headers: [
        ...headers
          .filter(header => header.enabled && header.name.toLowerCase() !== 'content-type')
          .map(({ name, value }): [string, string] => [name, value]),
        ...contentType,
      ],
      body: body.json ?? undefined,
    },
  ]
}
