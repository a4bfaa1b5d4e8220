import { expect, test } from 'bun:test'
import { interruptedBySignals } from './interruption.ts'

const names = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

function countListeners(): number {
  return names.reduce((sum, name) => sum + process.listenerCount(name), 0)
}

for (const name of names) {
  test(`${name} aborts the AbortSignal, and a second process signal of any kind ends the process`, () => {
    const before = countListeners()
    const { signal, stop } = interruptedBySignals('Nothing was loaded.')
    expect([countListeners() - before, signal.aborted]).toEqual([3, false])
    process.listeners(name).at(-1)?.(name)
    expect(String(signal.reason)).toContain('Interrupted. Nothing was loaded.')
    // Without a listener, the default of the operating system ends the process.
    expect(countListeners()).toBe(before)
    stop()
  })
}
