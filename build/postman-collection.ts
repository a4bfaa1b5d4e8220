import { createRequire } from 'node:module'
import { z } from 'zod'
import { type CollectionSource, DELIVERY_MS, LOCAL_STORE, NEW_UUID, sortedBy } from './collection-source.ts'

/** The part of Postman's converter that this module calls. The package of the converter has no types. */
interface Converter {
  convertV2(
    input: { type: 'string'; data: string },
    options: { parametersResolution: 'Example'; folderStrategy: 'Tags' },
    done: (error: unknown, result: unknown) => void,
  ): void
}
const require = createRequire(new URL('../test/package.json', import.meta.url))
const converter: Converter = require('openapi-to-postmanv2')

const Text = z.object({ content: z.string() })
const Pair = z.object({ key: z.string(), value: z.string(), description: Text.optional() })
const Request = z.object({
  name: z.string(),
  description: Text,
  method: z.string(),
  url: z.object({ path: z.array(z.string()), query: z.array(Pair), variable: z.array(Pair) }),
  header: z.array(Pair),
  body: z.object({ mode: z.string(), raw: z.string() }).or(z.strictObject({})),
  auth: z.object({ type: z.string() }),
})
const Collection = z.object({
  info: z.object({ name: z.string(), schema: z.string(), description: Text }),
  item: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      item: z.array(z.object({ request: Request })),
    }),
  ),
})

const Converted = z.object({ output: z.tuple([z.object({ data: Collection })]) })

/** Returns the collection for Postman as JSON, without ids, because the converter makes new ids each time. */
export async function postmanCollection(source: CollectionSource): Promise<string> {
  const { text, tags, isSent, isStream, needsDelivery } = source
  const converted = await new Promise<unknown>((resolve, reject) => {
    const options = { parametersResolution: 'Example', folderStrategy: 'Tags' } as const
    converter.convertV2({ type: 'string', data: text }, options, (error, result) =>
      error ? reject(error) : resolve(result),
    )
  })
  const [{ data }] = Converted.parse(converted).output
  const collection = {
    info: { ...data.info, description: markdown(data.info.description.content) },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: LOCAL_STORE },
      { key: 'key', value: '' },
    ],
    item: sortedBy(data.item, ({ name }) => tags.indexOf(name)).map(({ name, description, item }) => ({
      name,
      description: markdown(description),
      item: sortedBy(item, ({ request }) => Number(isStream(request.name))).map(({ request }) => ({
        name: request.name,
        ...(needsDelivery(request.name) && { event: [waitForDelivery] }),
        request: requestIn(request, isSent),
        response: [],
      })),
    })),
  }
  return `${JSON.stringify(collection, undefined, 2)}\n`
}

/** Postman sends a request when the timers of its script are over. */
const waitForDelivery = {
  listen: 'prerequest',
  script: { type: 'text/javascript', exec: [`setTimeout(() => {}, ${DELIVERY_MS})`] },
}

function requestIn(request: z.output<typeof Request>, isSent: CollectionSource['isSent']): object {
  const { name, description, method, url, header, body, auth } = request
  const pair = (one: z.output<typeof Pair>): object => ({
    key: one.key,
    value: one.key === 'Idempotency-Key' ? NEW_UUID : one.value,
    ...(one.description && { description: markdown(one.description.content) }),
    ...(!isSent(name, one.key) && { disabled: true }),
  })
  return {
    description: markdown(description.content),
    method,
    url: {
      raw: `{{baseUrl}}/${url.path.join('/')}`,
      host: ['{{baseUrl}}'],
      path: url.path,
      query: url.query.map(pair),
      variable: url.variable.map(pair),
    },
    header: header.map(pair),
    ...('raw' in body && { body: { mode: 'raw', raw: body.raw, options: { raw: { language: 'json' } } } }),
    // Only a public request has an `auth` of its own. The others inherit the key of the collection.
    ...(auth.type === 'noauth' && { auth }),
  }
}

function markdown(content: string): object {
  return { content, type: 'text/markdown' }
}
