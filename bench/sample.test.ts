import { expect, test } from 'bun:test'
import { type Result, rateOf, spreadOfRatios } from './sample.ts'

function resultOf(name: string, counts: readonly number[]): Result {
  return { name, samples: counts.map(requests => ({ requests, seconds: 1, cpuUs: 1, answered: requests })) }
}

test('a ratio is the median of the ratios of the rounds, so slow rounds of both sides do not change it', () => {
  // The machine is half as fast in the last two rounds, and while `against` runs in the second round.
  const of = resultOf('store', [50, 50, 50, 25, 25])
  const against = resultOf('bare', [100, 50, 100, 50, 50])
  expect(spreadOfRatios(of, against, rateOf)).toEqual({ median: 0.5, min: 0.5, max: 1 })
})

test('results of different numbers of rounds have no ratio', () => {
  const ratio = () => spreadOfRatios(resultOf('store', [1]), resultOf('bare', [1, 2]), rateOf)
  expect(ratio).toThrow('store and bare have different numbers of rounds')
})
