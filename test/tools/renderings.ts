/** A generator of docs/generators.md, and what it does with the description in another version of OpenAPI. */
export interface Rendering {
  readonly format: '3.1' | '3.2'
  readonly generator: string
  /** The fault of a generator that does not read this version; undefined if its program works. */
  readonly refuses?: string
}

const refusals: Readonly<Record<string, string>> = {
  'openapi-generator go': '…is unexpected…',
  'openapi-generator python': '…is unexpected…',
  'openapi-generator java-native': '…is unexpected…',
  'openapi-generator java-okhttp': '…is unexpected…',
  'openapi-generator typescript-fetch': '…is unexpected…',
  'openapi-generator rust': '…is unexpected…',
  'openapi-generator kotlin': '…is unexpected…',
  'swagger-codegen java': '…com.fasterxml.jackson…',
  'openapi-python-client': '…Only OpenAPI versions 3.1.* are supported…',
  Postman: '…listPets: 400, not 200…',
  'swagger-typescript-api': "…Property 'type' does not exist on type 'never'…",
  progenitor: 'generate failed…',
}

/** The generators that `npm run check:tools` tries with OpenAPI 3.1, and with 3.2 every one of docs/generators.md. */
export const renderings: readonly Rendering[] = [
  ...['oapi-codegen', 'openapi-typescript', '@hey-api/openapi-ts'].map(
    (generator): Rendering => ({ format: '3.1', generator }),
  ),
  ...['ogen', 'oapi-codegen', 'Bruno', 'openapi-typescript', '@hey-api/openapi-ts', 'orval'].map(
    (generator): Rendering => ({ format: '3.2', generator }),
  ),
  ...Object.entries(refusals).map(
    ([generator, refuses]): Rendering => ({ format: '3.2', generator, refuses }),
  ),
]
