import { appendFileSync } from 'node:fs'
import type { EngineName } from './store.ts'

const file = process.env.PETSTORE_PROOF
const share = Number(process.env.PETSTORE_PROOF_SHARE ?? '1')

/** One guarantee that held: what was done, how often, and what came of it. */
export interface Proof {
  /** Its number in the list of RELIABILITY.md. */
  readonly guarantee: number
  readonly engine: EngineName | 'postgres REPEATABLE READ' | 'postgres SERIALIZABLE'
  readonly did: string
}

/** How often a test does what it does: so often each time, and so often when `npm run prove` runs it. */
export function times(inTest: number, inProof: number): number {
  return file === undefined ? inTest : Math.max(inTest, Math.round(inProof * share))
}

/** How long it may take: in a proof as long as it needs. */
export function timeLimitMs(inTest: number): number {
  return file === undefined ? inTest : 5_400_000
}

/** Notes for RELIABILITY.md that a guarantee held; called as the last thing of its test. */
export function proved(proof: Proof): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(proof)}\n`)
}
