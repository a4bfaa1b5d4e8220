import type { Operation } from '../../contract/operation.ts'
import { contract } from '../../shop/operations.ts'
import { writeJson } from '../../values/json.ts'

/** The base address in a text that many stores share. No store can have it (RFC 6761, section 6.4). */
const SHARED_BASE = 'https://base.invalid'

type Format = 'json' | 'yaml'

/**
 * The descriptions of the stores of a process. Writing one takes a tenth of a second, in which no request of any store
 * is served, so stores with the same operations share a text, and each puts its own base address into it.
 */
export class DescriptionTexts {
  readonly #texts = new Map<string, Promise<string>>()

  /** Returns the description of the operations that `serves` accepts, for a store with this base address. */
  async text(format: Format, base: string, serves: (operation: Operation) => boolean): Promise<string> {
    const operations: [string, Operation][] = Object.entries(contract)
    const served = operations.filter(([, operation]) => serves(operation)).map(([id]) => id)
    const key = `${format} ${served.join()}`
    const known = this.#texts.get(key) ?? writeDescription(format, serves)
    this.#texts.set(key, known)
    return (await known).replaceAll(SHARED_BASE, base)
  }
}

/** The modules of the description are loaded for its first request, because most processes never get one. */
async function writeDescription(format: Format, serves: (operation: Operation) => boolean): Promise<string> {
  const { describe } = await import('../../openapi/document.ts')
  const { storeApi } = await import('../../openapi/store-api.ts')
  const description = describe(storeApi, { base: SHARED_BASE, serves })
  return format === 'json'
    ? writeJson(description)
    : (await import('../../openapi/yaml.ts')).writeYaml(description)
}
