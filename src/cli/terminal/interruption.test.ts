import { expect, test } from 'bun:test'
import { interruptedBySignals } from './interruption.ts'

const names = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

function countListeners(): number {
  return names.reduce((sum, name) => sum + process.listenerCount(name), 0)
}

for (const name of names) {
  test(`${name} aborts the AbortSignal; a repeat is ignored, and a later signal ends the process`, async () => {
    const before = countListeners()
    let sentences = 0
    const interruption = interruptedBySignals(() => `Nothing was loaded ${++sentences}.`, 50)
    const { signal } = interruption
    expect([countListeners() - before, signal.aborted]).toEqual([3, false])
    const listener = process.listeners(name).at(-1)
    listener?.(name)
    expect(String(signal.reason)).toContain('Interrupted. Nothing was loaded 1.')
    // npm passes Ctrl-C on to a command that has it from the terminal already.
    listener?.(name)
    interruption[Symbol.dispose]()
    expect([sentences, countListeners() - before]).toEqual([1, 3])
    // Without a listener, the default of the operating system ends the process.
    await Bun.sleep(200)
    expect(countListeners()).toBe(before)
  })
}

test('disposing removes the listeners of work that was not interrupted', () => {
  const before = countListeners()
  interruptedBySignals('Nothing was loaded.')[Symbol.dispose]()
  expect(countListeners()).toBe(before)
})
