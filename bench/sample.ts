import { z } from 'zod'

/** The counts of one window of time. */
export const Sample = z.strictObject({
  /** The number of requests (or orders) with a response in the window. */
  requests: z.number(),
  seconds: z.number(),
  /** The processor time of the measured process in the window, in all threads. */
  cpuUs: z.number(),
  /** The number of responses in the whole run: before, in and after the window. */
  answered: z.number(),
  /** The 99th percentile of the latency of the requests in the window, if it was measured. */
  p99Ms: z.number().optional(),
})
export type Sample = z.output<typeof Sample>

/** One side of a comparison: it runs for some time and returns its counts. */
export interface Contestant {
  readonly name: string
  run(seconds: number): Promise<Sample>
}

export interface Result {
  readonly name: string
  readonly samples: readonly Sample[]
}

/** The duration and number of the runs of each contestant. */
export interface Schedule {
  readonly rounds: number
  readonly seconds: number
}

const WARM_SECONDS = 1

/**
 * Runs all contestants in turn, round after round (A B C, A B C). Before that, each has one short run, whose sample is
 * not in the results.
 */
export async function interleave(
  contestants: readonly Contestant[],
  { rounds, seconds }: Schedule,
): Promise<Result[]> {
  for (const contestant of contestants) await contestant.run(Math.min(seconds, WARM_SECONDS))
  const results = contestants.map(({ name }) => emptyResult(name))
  for (let round = 1; round <= rounds; round++) {
    for (const [index, contestant] of contestants.entries()) {
      const sample = await contestant.run(seconds)
      results[index]?.samples.push(sample)
      const perSecond = Math.round(sample.requests / sample.seconds)
      process.stderr.write(`  round ${round}/${rounds}  ${contestant.name}: ${perSecond} per second\n`)
    }
  }
  return results
}

function emptyResult(name: string): { readonly name: string; readonly samples: Sample[] } {
  return { name, samples: [] }
}

export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** The requests per second of a sample. */
export function rateOf({ requests, seconds }: Sample): number {
  return requests / seconds
}

/** The processor time per request of a sample, in microseconds. */
export function cpuUsOf({ requests, cpuUs }: Sample): number {
  return cpuUs / requests
}

export function perSecond({ samples }: Result): Spread {
  return spread(samples.map(rateOf))
}

export function cpuUsPerRequest({ samples }: Result): Spread {
  return spread(samples.map(cpuUsOf))
}

/** Returns the spread of the average number of busy cores. */
export function coresBusy({ samples }: Result): Spread {
  return spread(samples.map(({ cpuUs, seconds }) => cpuUs / 1e6 / seconds))
}

/**
 * Returns the spread of the ratios of two results, round by round. Both sides of a round ran one after the other, so a
 * neighbour that slows the machine down for some rounds changes their ratio less than the ratio of the two medians.
 */
export function spreadOfRatios(of: Result, against: Result, value: (sample: Sample) => number): Spread {
  if (of.samples.length !== against.samples.length) {
    throw new Error(`${of.name} and ${against.name} have different numbers of rounds`)
  }
  const others = against.samples.map(value)
  return spread(of.samples.map((sample, round) => value(sample) / (others[round] ?? Number.NaN)))
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const half = (sorted.length - 1) / 2
  const median = (at(Math.floor(half)) + at(Math.ceil(half))) / 2
  return { median, min: at(0), max: at(sorted.length - 1) }
}

/** Returns the value below which this share of the values is. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** A contestant that counts all its responses, including those outside the windows. */
export interface CountingContestant extends Contestant {
  answered(): number
}

export function countingContestant(
  name: string,
  run: (seconds: number) => Promise<Sample>,
): CountingContestant {
  let answered = 0
  return {
    name,
    run: async seconds => {
      const sample = await run(seconds)
      answered += sample.answered
      return sample
    },
    answered: () => answered,
  }
}
