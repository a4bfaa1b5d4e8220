import type { Operation } from '../../contract/operation.ts'
import { contract, type OperationId, operationIds } from '../../shop/registry/operations.ts'

/** Returns a name of the contract as the command line shows it: `listPets` as `list-pets`, `If-Match` as `if-match`. */
export function kebabCase(name: string): string {
  return name
    .replaceAll(/(?<=[a-z0-9])[A-Z]/g, letter => `-${letter.toLowerCase()}`)
    .replaceAll(/[A-Z]/g, letter => letter.toLowerCase())
}

/** The operations that are commands: all except those that only the import uses. */
export const commandIds: readonly OperationId[] = operationIds.filter(id => !operationOf(id).hidden)

export function operationOf(id: OperationId): Operation {
  return contract[id]
}

/** Returns the operation with a name, in either form: `listPets` or `list-pets`. Returns undefined if there is none. */
export function findOperation(word: string): OperationId | undefined {
  return commandIds.find(id => id === word || kebabCase(id) === word)
}

/** The names of all operations, in the form that the help shows. */
export const operationNames: readonly string[] = commandIds.map(kebabCase)
