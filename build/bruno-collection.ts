import { createRequire } from 'node:module'
import { z } from 'zod'
import { type CollectionSource, DELIVERY_MS, LOCAL_STORE, NEW_UUID, sortedBy } from './collection-source.ts'

/** The part of Bruno's converter that this module calls. The package of the converter has no types. */
interface Converter {
  openApiToBruno(text: string): unknown
}
/** The part of the package that writes the files of Bruno. */
interface Writer {
  jsonToBruV2(request: object): string
  jsonToCollectionBru(collection: object): string
  envJsonToBruV2(environment: object): string
}
const require = createRequire(new URL('../test/package.json', import.meta.url))
const { openApiToBruno }: Converter = require('@usebruno/converters')
const writer: Writer = require('@usebruno/lang')

// The descriptions of parameters are left out: only the newest versions of Bruno read them from a file.
const Pair = z.object({ name: z.string(), value: z.string() })
const Item = z.object({
  name: z.string(),
  request: z.object({
    docs: z.string(),
    url: z.string(),
    method: z.string(),
    auth: z.object({ mode: z.string() }),
    headers: z.array(Pair),
    params: z.array(Pair.extend({ type: z.enum(['path', 'query']) })),
    body: z.object({ mode: z.string(), json: z.string().nullish() }),
  }),
})
const Collection = z.object({
  name: z.string(),
  root: z.object({ docs: z.string() }),
  items: z.array(z.object({ name: z.string(), root: z.object({ docs: z.string() }), items: z.array(Item) })),
})

/** Returns the files of the collection for Bruno, by path: a folder for each tag, and an environment. */
export function brunoFiles(source: CollectionSource): [string, string][] {
  const { text, tags, isStream } = source
  const { name, root, items } = Collection.parse(openApiToBruno(text))
  const environment = [
    { name: 'baseUrl', value: LOCAL_STORE, enabled: true },
    // Bruno stores the value of a secret outside the collection.
    { name: 'key', enabled: true, secret: true },
  ]
  const auth = { mode: 'bearer', bearer: { token: '{{key}}' } }
  const about = { version: '1', name, type: 'collection', ignore: ['.git', 'node_modules'] }
  return [
    ['bruno/bruno.json', `${JSON.stringify(about, undefined, 2)}\n`],
    ['bruno/collection.bru', writer.jsonToCollectionBru({ auth, docs: root.docs })],
    ['bruno/environments/local.bru', writer.envJsonToBruV2({ variables: environment })],
    ...items.flatMap((tag): [string, string][] => {
      const path = `bruno/${fileName(tag.name)}`
      const meta = { name: tag.name, seq: tags.indexOf(tag.name) + 1 }
      const head = writer.jsonToCollectionBru({ meta, auth: { mode: 'inherit' }, docs: tag.root.docs })
      return [
        [`${path}/folder.bru`, head],
        ...sortedBy(tag.items, ({ name }) => Number(isStream(name))).map((item, index): [string, string] => [
          `${path}/${fileName(item.name)}.bru`,
          writer.jsonToBruV2(requestIn(item, index + 1, source)),
        ]),
      ]
    }),
  ]
}

function requestIn(
  { name, request }: z.output<typeof Item>,
  seq: number,
  { isSent, needsDelivery }: CollectionSource,
): object {
  const { method, url, auth, body, params, headers, docs } = request
  const enable = <T extends z.output<typeof Pair>>(one: T): T & { enabled: boolean } => ({
    ...one,
    value: one.name === 'Idempotency-Key' ? NEW_UUID : one.value,
    enabled: isSent(name, one.name),
  })
  const query = params.filter(param => param.type === 'query' && isSent(name, param.name))
  return {
    meta: { name, type: 'http', seq },
    http: {
      method: method.toLowerCase(),
      // Bruno sends the query of the URL. Its editor keeps this query and `params` the same.
      url: query.length === 0 ? url : `${url}?${query.map(one => `${one.name}=${one.value}`).join('&')}`,
      body: body.mode,
      // The collection of the converter has no key, so its public operations have the mode `inherit`. This collection
      // has a key, so they need the mode `none`.
      auth: auth.mode === 'bearer' ? 'inherit' : 'none',
    },
    params: params.map(enable),
    headers: headers.map(enable),
    ...(body.json && { body: { json: body.json } }),
    ...(needsDelivery(name) && { script: { req: `await bru.sleep(${DELIVERY_MS})` } }),
    docs,
  }
}

/** Returns the name of a file: `List pets` becomes `list-pets`. */
function fileName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replace(/-$/, '')
}
