import type { Slips } from '../slip.ts'

export const openapiSlips: Slips = {
  'src/openapi/async-api.ts': [
    {
      before: `type !== TEST_TYPE)`,
      after: `type !== "")`,
      breaks: 'the stream seems to send test events, which only webhooks get',
      tests: ['test/openapi/async-api.test.ts: the parser of AsyncAPI finds no error'],
    },
    {
      before: `...(serves(contract.streamEvents) ? ['stream'] : []),`,
      after: `'stream',`,
      breaks: 'a store without a stream describes one, or fails to describe anything',
      tests: ['test/openapi/async-api.test.ts: a store that serves no events'],
    },
  ],
  'src/openapi/headers.ts': [
    {
      before: `\`"\${id.replaceAll(`,
      after: `\`"\${"order".replaceAll(`,
      breaks: 'the examples of all operations send the same Idempotency-Key',
      tests: ['test/openapi/description.test.ts'],
    },
  ],
  'src/openapi/json-schemas.ts': [
    {
      before: `if (name !== undefined) return { ...rest, $ref: refer(name) }`,
      after: `if (name === "") return { ...rest, $ref: refer(name) }`,
      breaks: 'the files of JSON Schema refer to a document that has no such part',
      tests: ['test/openapi/json-schemas.test.ts: the API catalogue lists'],
    },
  ],
  'src/openapi/renderings.ts': [
    {
      before: `return { ...part, const: values[0] }`,
      after: `return part`,
      breaks: 'OpenAPI 3.1 has lists of one value instead of constants',
      tests: ['test/openapi/renderings.test.ts: OpenAPI 3.1 says what 3.0 cannot'],
    },
    {
      before: `content.itemSchema = eventPart(schemaPart(success.stream))`,
      after: `content.itemSchema = {}`,
      breaks: 'OpenAPI 3.2 does not say what a stream contains',
      tests: ['test/openapi/renderings.test.ts: OpenAPI 3.2 describes the events'],
    },
  ],
  'src/openapi/schemas.ts': [
    {
      before: `mapping[String(value.value)] =`,
      after: `mapping[String(value.value).replace("updated", "changed")] =`,
      breaks: 'a generated client cannot decode an event that says a pet was changed',
      tests: ['test/openapi/description.test.ts', 'test/openapi/breaking-changes.test.ts'],
    },
  ],
}
