import type { Operation } from '../../contract/operation.ts'
import type { OperationId } from '../../shop/registry/operations.ts'
import { writeJson } from '../../values/json.ts'
import type { OperationFlag } from './flags.ts'
import { kebabCase, operationOf } from './names.ts'

const PARAMETERS_SHOWN = 2
/** The parameters that no example shows, because they do not explain what the operation is for. */
const notShown = ['limit', 'cursor', 'id', 'wait']

/** Returns the words of an example command line, from the examples of the contract. */
export function exampleWords(id: OperationId, flags: readonly OperationFlag[]): string[] {
  const operation = operationOf(id)
  const path = Object.values(operation.pathParameters ?? {}).map(({ example }) => String(example))
  const query = flags.filter(({ place }) => place === 'query')
  const optional = query.filter(({ name, isRequired }) => !isRequired && !notShown.includes(name))
  const shown = [...query.filter(({ isRequired }) => isRequired), ...optional.slice(0, PARAMETERS_SHOWN)]
  const words = shown.flatMap(({ flag, example }) => [`--${flag}`, String(example)])
  return [kebabCase(id), ...path, ...words, ...bodyWords(operation, flags)]
}

/** Returns an example command line for a shell. */
export function exampleOf(id: OperationId, flags: readonly OperationFlag[]): string {
  return ['petstore', ...exampleWords(id, flags).map(shellWord)].join(' ')
}

function bodyWords({ body }: Operation, flags: readonly OperationFlag[]): string[] {
  const example = body?.meta()?.example
  if (typeof example !== 'object' || example === null) return []
  return Object.entries(example).flatMap(([name, value]) => {
    const flag = flags.find(one => one.place === 'body' && one.name === name)?.flag
    if (flag === undefined) return []
    const values: unknown[] = Array.isArray(value) ? value : [value]
    return values.flatMap(one => [`--${flag}`, typeof one === 'string' ? one : exampleText(one)])
  })
}

function exampleText(value: unknown): string {
  return typeof value === 'object' ? writeJson(value) : String(value)
}

/** Returns a word in single quotes if a shell would interpret it. */
function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
