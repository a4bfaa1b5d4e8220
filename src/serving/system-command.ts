import { countOf, type SystemCommandId, systemCommand } from '../shop/registry/commands.ts'
import { storedInstant } from '../values/instant.ts'
import type { StoreEngine } from './open.ts'

/** Runs a system command and returns its count. */
export async function runSystemCommand(
  engine: StoreEngine,
  id: SystemCommandId,
  input: object,
  clock: () => number,
): Promise<number> {
  return countOf(await engine.execute(systemCommand(id, input, storedInstant(clock()), 'petstore')))
}
