import type { DescribedApi, DescriptionOptions } from './document.ts'
import { describeIn, mapParts } from './renderings.ts'
import type { Part } from './schemas.ts'

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
const COMPONENT = /^#\/components\/schemas\/(\w+)$/

/** Returns the schemas of an API as documents of JSON Schema 2020-12, by name. Their ids are their addresses. */
export function jsonSchemas(api: DescribedApi, options: DescriptionOptions): Map<string, Part> {
  return new Map(
    Object.entries(plainSchemas(api, options, name => `${name}.json`)).map(([name, schema]) => [
      name,
      { $schema: DIALECT, $id: `${options.base}/schemas/${name}.json`, title: name, ...schema },
    ]),
  )
}

/** Returns the schemas of an API by name, without the keywords of OpenAPI. `refer` returns a reference by its name. */
export function plainSchemas(
  api: DescribedApi,
  options: DescriptionOptions,
  refer: (name: string) => string,
): Readonly<Record<string, Part>> {
  // Safe: `describe` makes these members.
  const { components } = describeIn('3.1', api, options) as { components: { schemas: Record<string, Part> } }
  const isOfOpenapi = (keyword: string): boolean => keyword === 'discriminator' || keyword.startsWith('x-')
  const plain = (schema: Part): Part =>
    mapParts(schema, part => {
      const { $ref, ...rest } = part
      const [, name] = typeof $ref === 'string' ? (COMPONENT.exec($ref) ?? []) : []
      if (name !== undefined) return { ...rest, $ref: refer(name) }
      return Object.fromEntries(Object.entries(part).filter(([keyword]) => !isOfOpenapi(keyword)))
    })
  return Object.fromEntries(Object.entries(components.schemas).map(([name, schema]) => [name, plain(schema)]))
}
