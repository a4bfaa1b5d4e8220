import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type CollectionRequest, runCollection } from './collections.ts'

// Sends each request of the Postman collection that the first argument names, and reports those that fail.

const Pair = z.looseObject({
  key: z.string(),
  value: z.coerce.string(),
  disabled: z.boolean().optional(),
})
const Pairs = z.array(Pair).default([])
const Request = z.looseObject({
  method: z.string(),
  url: z.looseObject({ path: z.array(z.string()), query: Pairs, variable: Pairs }),
  header: Pairs,
  body: z.looseObject({ raw: z.string().optional() }).nullish(),
})
const Folder = z.looseObject({ item: z.array(z.unknown()) })
const Leaf = z.looseObject({ request: Request })

const [file = ''] = Bun.argv.slice(2)
const failed = await runCollection(requestsIn(JSON.parse(readFileSync(file, 'utf8'))))
for (const line of failed) console.log(line)
if (failed.length === 0) console.log('every request of the collection succeeded')
process.exit(failed.length === 0 ? 0 : 1)

/** Returns the requests of a Postman collection (format 2.1), top to bottom. */
function requestsIn(node: unknown): readonly CollectionRequest[] {
  const folder = Folder.safeParse(node)
  if (folder.success) return folder.data.item.flatMap(requestsIn)
  const { method, url, header, body } = Leaf.parse(node).request
  return [
    {
      method,
      path: `/${url.path.join('/')}`,
      pathValues: Object.fromEntries(enabled(url.variable)),
      query: enabled(url.query),
      headers: enabled(header),
      body: body?.raw,
    },
  ]
}

function enabled(pairs: z.output<typeof Pairs>): [string, string][] {
  return pairs.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value])
}
