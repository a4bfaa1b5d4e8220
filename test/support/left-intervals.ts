// Counts the intervals of the program, so that a store which is closed, and leaves one running, is noticed.

const intervals = new Map<unknown, string>()
const { setInterval: start, clearInterval: end } = globalThis
let openStores = 0

globalThis.setInterval = Object.assign((...call: Parameters<typeof start>) => {
  const timer = start(...call)
  const [, place] = /\/(src\/[^\s)]+)/.exec(new Error('place').stack ?? '') ?? []
  if (place !== undefined) intervals.set(timer, place)
  return timer
}, start)
globalThis.clearInterval = (timer?: number | string | Timer | NodeJS.Timeout) => {
  intervals.delete(timer)
  Reflect.apply(end, undefined, [timer])
}

export function noteOpenedStore(): void {
  openStores++
}

/** Throws if a store that was closed left an interval. Only the last one of a process can know. */
export function noteClosedStore(): void {
  openStores--
  if (openStores > 0) return
  const left = [...intervals.values()]
  intervals.clear()
  if (left.length > 0) throw new Error(`a closed store left intervals of ${left}`)
}
