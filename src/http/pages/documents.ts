import type { Operation } from '../../contract/operation.ts'
import { routeNotFound } from '../../contract/refusals.ts'
import { programFile } from '../../files/program-files.ts'
import type { Handler } from '../request/request-context.ts'
import { type Content, prepareContent, prepareOnce, sendContent } from './content.ts'
import { type DescriptionTexts, descriptions } from './description-text.ts'

const YAML = 'application/yaml'
const JSON_TYPE = 'application/json'
const JSON_SCHEMA = 'application/schema+json'

const ARAZZO = { path: '/arazzo.yaml', type: YAML }
/** The address in arazzo.yaml, for which a store puts its own. */
const LOCAL_STORE = 'http://127.0.0.1:8080'

/** A file of the store. */
export interface DocumentFile {
  readonly path: string
  /** The media type. */
  readonly type: string
}

/** Returns the files for tools, except the schemas, which `schemaFiles` returns. */
export function documentFiles(): DocumentFile[] {
  return [
    ...descriptions.flatMap(({ path }) => [
      { path: `${path}.json`, type: JSON_TYPE },
      { path: `${path}.yaml`, type: YAML },
    ]),
    ARAZZO,
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
    route(ARAZZO.path, ARAZZO.type, async () =>
      (await Bun.file(programFile('arazzo.yaml')).text()).replaceAll(LOCAL_STORE, base),
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
