import { appendFileSync } from 'node:fs'
import type { EngineName } from './engines.ts'

const file = process.env.TEST_PROOF
const share = Number(process.env.TEST_PROOF_SHARE ?? '1')

/** The evidence that one guarantee held: the work of a test, and how often it was done. */
export interface SoakEvidence {
  /** The number of the guarantee in RELIABILITY.md. */
  readonly guarantee: number
  readonly engine: EngineName | 'postgres REPEATABLE READ' | 'postgres SERIALIZABLE'
  /** The work of the test and its result, in one line. */
  readonly summary: string
}

/** Returns how often a test repeats its work: `inTest` normally, up to `inProof` under `npm run prove`. */
export function times(inTest: number, inProof: number): number {
  return file === undefined ? inTest : Math.max(inTest, Math.round(inProof * share))
}

/** Returns the time limit of a test in milliseconds: `inTest` normally, 90 minutes under `npm run prove`. */
export function timeLimitMs(inTest: number): number {
  return file === undefined ? inTest : 5_400_000
}

/** Records for RELIABILITY.md that a guarantee held; called at the end of its test. */
export function recordSoak(evidence: SoakEvidence): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(evidence)}\n`)
}
