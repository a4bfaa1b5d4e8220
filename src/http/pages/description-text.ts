import type { Operation } from '../../contract/operation.ts'
import type { DescriptionOptions } from '../../openapi/document.ts'
import type { OpenapiVersion } from '../../openapi/renderings.ts'
import type { Part } from '../../openapi/schemas.ts'
import { contract } from '../../shop/registry/operations.ts'
import { writeJson } from '../../values/json.ts'
import { prepareOnce } from './content.ts'

/** The base address in a text that many stores share. No store can have it (RFC 6761, section 6.4). */
const SHARED_BASE = 'https://base.invalid'

type Format = 'json' | 'yaml'
type Serves = (operation: Operation) => boolean

/** The descriptions of a store, each with its path without the extension. `async` is that of the events. */
export const descriptions = [
  { path: '/openapi', version: '3.0' },
  { path: '/openapi-3.1', version: '3.1' },
  { path: '/openapi-3.2', version: '3.2' },
  { path: '/asyncapi', version: 'async' },
] as const satisfies readonly { path: string; version: OpenapiVersion | 'async' }[]
type DescriptionVersion = (typeof descriptions)[number]['version']

/**
 * The descriptions of the stores of a process. Writing one takes a tenth of a second, in which no request of any store
 * is served, so stores with the same operations share a text, and each puts its own base address into it.
 */
export class DescriptionTexts {
  readonly #texts = new Map<string, () => Promise<unknown>>()

  /** Returns a description of the operations that `serves` accepts, for a store with this base address. */
  async text(version: DescriptionVersion, format: Format, base: string, serves: Serves): Promise<string> {
    // The document of the events has the parts of the address.
    if (version === 'async') return await write(format, await describeAs(version, { base, serves }))
    const text = await this.#once(`${version} ${format}`, serves, async () =>
      write(format, await describeAs(version, { base: SHARED_BASE, serves })),
    )
    return text.replaceAll(SHARED_BASE, base)
  }

  /** Returns the names of the schemas of the same operations. */
  async schemaNames(serves: Serves): Promise<string[]> {
    return [...(await this.#schemas(serves)).keys()]
  }

  /** Returns a schema as a document of JSON Schema; undefined if there is none with this name. */
  async schema(name: string, base: string, serves: Serves): Promise<string | undefined> {
    return (await this.#schemas(serves)).get(name)?.replaceAll(SHARED_BASE, base)
  }

  #schemas(serves: Serves): Promise<ReadonlyMap<string, string>> {
    return this.#once('schemas', serves, async () => {
      const { jsonSchemas } = await import('../../openapi/json-schemas.ts')
      const { storeApi } = await import('../../openapi/store-api.ts')
      const schemas = jsonSchemas(storeApi, { base: SHARED_BASE, serves })
      return new Map([...schemas].map(([name, schema]) => [name, writeJson(schema)]))
    })
  }

  #once<T>(what: string, serves: Serves, make: () => Promise<T>): Promise<T> {
    const operations: [string, Operation][] = Object.entries(contract)
    const served = operations.filter(([, operation]) => serves(operation)).map(([id]) => id)
    const key = `${what} ${served.join()}`
    // Safe: a key begins with what was made, and each is made by one caller only.
    const known = (this.#texts.get(key) as (() => Promise<T>) | undefined) ?? prepareOnce(make)
    this.#texts.set(key, known)
    return known()
  }
}

/** The modules of the descriptions are loaded for their first request, because most processes never get one. */
async function describeAs(version: DescriptionVersion, options: DescriptionOptions): Promise<Part> {
  if (version === 'async') return (await import('../../openapi/async-api.ts')).describeEvents(options)
  const { storeApi } = await import('../../openapi/store-api.ts')
  // The upgrader is not loaded for the description that most clients read.
  return version === '3.0'
    ? (await import('../../openapi/document.ts')).describe(storeApi, options)
    : (await import('../../openapi/renderings.ts')).describeIn(version, storeApi, options)
}

async function write(format: Format, description: Part): Promise<string> {
  return format === 'json'
    ? writeJson(description)
    : (await import('../../openapi/yaml.ts')).writeYaml(description)
}
