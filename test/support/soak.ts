import { appendFileSync } from 'node:fs'
import type { EngineName } from './store.ts'

const file = process.env.PETSTORE_PROOF
const share = Number(process.env.PETSTORE_PROOF_SHARE ?? '1')

/** One guarantee that held: the work that was done, how often, and the result. */
export interface SoakEvidence {
  /** Its number in the list of RELIABILITY.md. */
  readonly guarantee: number
  readonly engine: EngineName | 'postgres REPEATABLE READ' | 'postgres SERIALIZABLE'
  readonly did: string
}

/** How often a test repeats its work: the first number in every run, the second under `npm run prove`. */
export function times(inTest: number, inProof: number): number {
  return file === undefined ? inTest : Math.max(inTest, Math.round(inProof * share))
}

/** The time limit of a test in milliseconds; under `npm run prove`, it is 90 minutes. */
export function timeLimitMs(inTest: number): number {
  return file === undefined ? inTest : 5_400_000
}

/** Records for RELIABILITY.md that a guarantee held; called at the end of its test. */
export function recordSoak(proof: SoakEvidence): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(proof)}\n`)
}
