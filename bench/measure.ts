/** The counts of one window of time. */
export interface Sample {
  /** The number of requests (or orders) with a response in the window. */
  readonly requests: number
  readonly seconds: number
  /** The processor time of the measured process in the window, in all threads. */
  readonly cpuUs: number
  /** The number of responses in the whole run: before, in and after the window. */
  readonly answered: number
}

/** One side of a comparison. */
export interface Side<S extends Sample = Sample> {
  readonly name: string
  readonly run: (seconds: number) => Promise<S>
  /** The samples of the rounds. */
  readonly samples: S[]
  /** The number of responses in all runs, also outside the rounds. */
  answered: number
}

/** The duration and number of the runs of each side. */
export interface Schedule {
  readonly rounds: number
  readonly seconds: number
}

const WARM_SECONDS = 1

export function side<S extends Sample>(name: string, measure: (seconds: number) => Promise<S>): Side<S> {
  const run = async (seconds: number): Promise<S> => {
    const sample = await measure(seconds)
    measured.answered += sample.answered
    return sample
  }
  const measured: Side<S> = { name, run, samples: [], answered: 0 }
  return measured
}

/**
 * Runs all sides in turn, round after round (A B C, A B C), and adds the samples to the sides. Before that, each has
 * one short run, whose sample is not added.
 */
export async function interleave(sides: readonly Side[], { rounds, seconds }: Schedule): Promise<void> {
  for (const { run } of sides) await run(Math.min(seconds, WARM_SECONDS))
  for (let round = 1; round <= rounds; round++) {
    for (const { name, run, samples } of sides) {
      const sample = await run(seconds)
      samples.push(sample)
      const text = `${Math.round(rateOf(sample))} per second, ${cpuUsOf(sample).toFixed(1)} µs`
      process.stderr.write(`  round ${round}/${rounds}  ${name}: ${text}\n`)
    }
  }
}

/** The requests per second of a sample. */
export function rateOf({ requests, seconds }: Sample): number {
  return requests / seconds
}

/** The processor time per request of a sample, in microseconds. */
export function cpuUsOf({ requests, cpuUs }: Sample): number {
  return cpuUs / requests
}

/**
 * Returns how a value of one side compares with that of another side, round by round. Both sides of a round ran one
 * after the other, so a neighbour that slows the machine down for some rounds changes these ratios less than the ratio
 * of two medians.
 */
export function ratios<S extends Sample>(
  of: Side<S>,
  against: Side<S>,
  value: (sample: S) => number,
): number[] {
  const others = against.samples.map(value)
  if (others.length !== of.samples.length)
    throw new Error(`${of.name} and ${against.name} have different numbers of rounds`)
  return of.samples.map((sample, round) => value(sample) / (others[round] ?? Number.NaN))
}

export function spread(values: readonly number[]): { median: number; min: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const half = (sorted.length - 1) / 2
  const median = (at(Math.floor(half)) + at(Math.ceil(half))) / 2
  return { median, min: at(0), max: at(sorted.length - 1) }
}
