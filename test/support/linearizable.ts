/** The stock of one pet. */
export interface Units {
  readonly quantity: number
  readonly reserved: number
}

/** An operation of a client on one pet, with its outcome. */
export interface Operation {
  readonly name: string
  /** When it was sent, and when its outcome arrived, in milliseconds. */
  readonly fromMs: number
  readonly toMs: number
  /** Returns the stock after the operation, or undefined if it cannot have this outcome with the stock before it. */
  readonly apply: (stock: Units) => Units | undefined
}

/**
 * Searches for an order of operations in which each has its outcome, and no operation comes before one that had ended
 * when it was sent (Wing and Gong, 1993; Lowe, 2017). Returns the operations that no order explains, from the longest
 * order that was found; none if the history is linearizable. Every operation has an outcome.
 */
export function inexplicable(before: Units, operations: readonly Operation[]): string[] {
  const sorted = operations.toSorted((a, b) => a.fromMs - b.fromMs)
  const seen = new Set<string>()
  const places: Place[] = [{ first: 0, ahead: [], stock: before }]
  let furthest: Place = { first: 0, ahead: [], stock: before }
  for (let place = places.pop(); place; place = places.pop()) {
    if (place.first === sorted.length) return []
    if (place.first + place.ahead.length > furthest.first + furthest.ahead.length) furthest = place
    for (const index of possibleNext(sorted, place)) {
      const stock = sorted[index]?.apply(place.stock)
      if (!stock) continue
      const next = { ...advanced(place, index), stock }
      const key = `${next.first} ${next.ahead} ${stock.quantity} ${stock.reserved}`
      if (!seen.has(key)) places.push(next)
      seen.add(key)
    }
  }
  const { quantity, reserved } = furthest.stock
  const left = possibleNext(sorted, furthest).map(index => sorted[index]?.name ?? '')
  return [`with ${quantity} units, ${reserved} of them reserved, none of: ${left.join(', ')}`]
}

/** The operations of an order that was found so far: all before `first`, and those in `ahead`, by their index. */
interface Place {
  readonly first: number
  readonly ahead: readonly number[]
  readonly stock: Units
}

/** Returns the operations that can come next: each was sent before any other operation had ended. */
function possibleNext(sorted: readonly Operation[], { first, ahead }: Place): number[] {
  const possible: number[] = []
  let earliestEnd = Number.POSITIVE_INFINITY
  for (let index = first; index < sorted.length; index++) {
    const operation = sorted[index]
    if (!operation || operation.fromMs > earliestEnd) break
    if (ahead.includes(index)) continue
    possible.push(index)
    earliestEnd = Math.min(earliestEnd, operation.toMs)
  }
  return possible
}

function advanced({ first, ahead }: Place, index: number): Pick<Place, 'first' | 'ahead'> {
  const done = new Set([...ahead, index])
  let next = first
  while (done.delete(next)) next++
  return { first: next, ahead: [...done].sort((a, b) => a - b) }
}
