/** A source of choices that a seed determines: the same seed makes the same choices. */
export interface Random {
  /** Returns an integer from 0 to `end` - 1. */
  readonly below: (end: number) => number
  /** Returns true in this share of the calls. */
  readonly chance: (share: number) => boolean
  readonly pick: <T>(list: readonly T[]) => T
  /** Returns an integer between two bounds, inclusive. */
  readonly between: (min: bigint, max: bigint) => bigint
  readonly shuffled: <T>(list: readonly T[]) => T[]
}

/** Returns a source of choices for one stream of a seed (sfc32). The streams of one seed are independent. */
export function makeRandom(seed: number, stream: number): Random {
  let [a, b, c, counter] = [0x9e3779b9, seed | 0, stream | 0, 1]
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }
  // Neighbouring seeds diverge only after some rounds.
  for (let round = 0; round < 16; round++) next()
  const below = (end: number): number => Math.floor((next() / 2 ** 32) * end)
  const pick = <T>(list: readonly T[]): T => {
    const chosen = list[below(list.length)]
    if (chosen === undefined) throw new Error('there is nothing to pick from')
    return chosen
  }
  return {
    below,
    chance: share => next() / 2 ** 32 < share,
    pick,
    between: (min, max) => {
      const span = max - min + 1n
      return min + (((BigInt(next()) << 32n) | BigInt(next())) % span)
    },
    shuffled: list => {
      const rest = [...list]
      return list.flatMap(() => rest.splice(below(rest.length), 1))
    },
  }
}
