import { existsSync } from 'node:fs'
import type { Operation } from '../../contract/operation.ts'
import { routeNotFound } from '../../contract/refusals.ts'
import { programFile } from '../../files/program-files.ts'
import { contract } from '../../shop/operations.ts'
import type { Handler } from '../request-context.ts'
import { type Content, prepareContent, prepareOnce, sendContent } from './content.ts'
import { type DescriptionTexts, descriptions } from './description-text.ts'

const YAML = 'application/yaml'
const JSON_TYPE = 'application/json'
const JSON_SCHEMA = 'application/schema+json'

/** The files that are served as they are, if they exist: `npm pack` and `npm run collections` build the collection. */
const files = [
  { path: '/arazzo.yaml', file: 'arazzo.yaml', type: YAML },
  { path: '/collections/postman.json', file: 'dist/collections/postman.json', type: JSON_TYPE },
].filter(({ file }) => existsSync(programFile(file)))

/** The address in the built collection, for which a store puts its own. */
const LOCAL_STORE = 'http://127.0.0.1:8080'

/** Returns the files of a store. A collection with requests that the store does not serve is left out. */
function filesOf(serves: (operation: Operation) => boolean): typeof files {
  const isWhole = Object.values<Operation>(contract).every(serves)
  return files.filter(({ path }) => isWhole || !path.startsWith('/collections/'))
}

/** A file of the store. */
export interface DocumentFile {
  readonly path: string
  /** The media type. */
  readonly type: string
}

/** Returns the files for tools, except the schemas, which `schemaFiles` returns. */
export function documentFiles(serves: (operation: Operation) => boolean): DocumentFile[] {
  return [
    ...descriptions.flatMap(({ path }) => [
      { path: `${path}.json`, type: JSON_TYPE },
      { path: `${path}.yaml`, type: YAML },
    ]),
    ...filesOf(serves),
  ]
}

/** Any page may read what is the same for everybody and needs no key (Fetch standard, CORS protocol). */
export const FOR_ANY_ORIGIN = { 'Access-Control-Allow-Origin': '*' }

/** Returns the handlers of the files for tools, by path. Each file is made for its first request. */
export function documentRoutes(
  base: string,
  texts: DescriptionTexts,
  serves: (operation: Operation) => boolean,
): [string, Handler['handle']][] {
  const route = (path: string, type: string, make: () => Promise<string>): [string, Handler['handle']] => {
    const content = prepareOnce(async () => prepareContent(type, await make()))
    return [path, async context => sendContent(context, await content(), FOR_ANY_ORIGIN)]
  }
  const schemas = new Map<string, () => Promise<Content>>()
  return [
    ...descriptions.flatMap(({ path, version }) => [
      route(`${path}.json`, JSON_TYPE, () => texts.text(version, 'json', base, serves)),
      route(`${path}.yaml`, YAML, () => texts.text(version, 'yaml', base, serves)),
    ]),
    ...filesOf(serves).map(({ path, file, type }) =>
      route(path, type, async () => (await Bun.file(programFile(file)).text()).replaceAll(LOCAL_STORE, base)),
    ),
    [
      '/schemas/{file}',
      async context => {
        const name = /^(\w+)\.json$/.exec(context.pathParameters.file ?? '')?.[1] ?? ''
        let content = schemas.get(name)
        if (!content) {
          const text = await texts.schema(name, base, serves)
          if (text === undefined) throw routeNotFound(context.path, '')
          content = prepareOnce(() => prepareContent(JSON_SCHEMA, text))
          schemas.set(name, content)
        }
        return sendContent(context, await content(), FOR_ANY_ORIGIN)
      },
    ],
  ]
}

/** Returns the files of the schemas. */
export async function schemaFiles(
  texts: DescriptionTexts,
  serves: (operation: Operation) => boolean,
): Promise<DocumentFile[]> {
  return (await texts.schemaNames(serves)).map(name => ({ path: `/schemas/${name}.json`, type: JSON_SCHEMA }))
}
