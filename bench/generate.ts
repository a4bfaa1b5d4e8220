import { runProgram } from './child.ts'
import type { LoadPlan, RandomRange } from './load-plan.ts'
import { Sample } from './sample.ts'
import { ADMIN_KEY, PET_ID_FIRST } from './store.ts'

const WARM_SECONDS = 0.5
/** The time limit of a run in addition to its window: for its start, its warm-up and the last replies. */
const GRACE_SECONDS = 30

/** The input of a program that measures for a number of seconds, with the other members that it needs. */
interface MeasurementPlan {
  readonly seconds: number
  readonly [member: string]: unknown
}

type Load = Pick<LoadPlan, 'port' | 'pid' | 'connections' | 'seconds'>

/**
 * Reads one target repeatedly and returns the counts. Throws if a reply is not a 200 with a body of `bodyBytes` bytes.
 */
export function generateReads(load: Load, target: string, bodyBytes: number): Promise<Sample> {
  const request = { kind: 'get', target, random: {}, headers: {}, bodyBytes }
  return runForSample('load.ts', { ...load, status: 200, request })
}

/** A kind of read: a target that may contain random numbers, and the headers that it needs. */
export interface VariedRead {
  readonly target: string
  readonly random: Readonly<Record<string, RandomRange | string[]>>
  readonly headers: Readonly<Record<string, string>>
  /** The only correct status; 200 by default. */
  readonly status?: number
}

/** Reads a target with new random numbers in each request. Throws if a reply has another status. */
export function generateVariedReads(load: Load, { status = 200, ...read }: VariedRead): Promise<Sample> {
  return runForSample('load.ts', { ...load, status, request: { kind: 'get', ...read, bodyBytes: null } })
}

/**
 * Reads one target, and sets the quantity of a pet in every `writeEvery`-th request. Returns the counts of reads and
 * writes together. Throws if a reply is not a 200.
 */
export function generateReadsAndWrites(
  load: Load,
  { target, writeTarget, writeEvery }: { target: string; writeTarget: string; writeEvery: number },
): Promise<Sample> {
  const request = { kind: 'read-write', target, writeTarget, writeEvery, adminKey: ADMIN_KEY }
  return runForSample('load.ts', { ...load, status: 200, request })
}

/** Places orders and returns the counts. Throws if a response is not 201. */
export function generateOrders(
  load: Load,
  { pets, idempotencyKeyPrefix }: { pets: number; idempotencyKeyPrefix: string | null },
): Promise<Sample> {
  const request = { kind: 'order', adminKey: ADMIN_KEY, petIdFirst: PET_ID_FIRST, pets, idempotencyKeyPrefix }
  return runForSample('load.ts', { ...load, status: 201, request })
}

/** Runs a program of this directory that prints a Sample, with these environment variables, and returns the Sample. */
export async function runForSample(
  name: string,
  input: MeasurementPlan,
  environment: Readonly<Record<string, string>> = {},
): Promise<Sample> {
  const timeoutMs = (input.seconds + GRACE_SECONDS) * 1000
  const plan = { ...input, warmSeconds: WARM_SECONDS }
  return Sample.parse(JSON.parse(await runProgram(name, plan, timeoutMs, environment)))
}
