import { expect, test } from 'bun:test'
import { openTestStore } from '../../test/support/store.ts'
import { until } from '../../test/support/until.ts'
import { CommitSignal } from './commit-signal.ts'

/**
 * Returns the shortest time between two signals in ten runs, in milliseconds. The first signal covers several commits:
 * `commits` has the number of commands of each. The commit for the second signal follows immediately.
 */
async function shortestPause(commits: readonly number[]): Promise<number> {
  const pauses: number[] = []
  for (let run = 0; run < 10; run++) {
    let commit = (_commands: number): void => {}
    const signal = new CommitSignal(listener => {
      commit = listener
      return () => {}
    })
    const first = signal.next()
    for (const commands of commits) commit(commands)
    await first
    const startMs = performance.now()
    const second = signal.next()
    commit(1)
    await second
    pauses.push(performance.now() - startMs)
    signal.end()
  }
  return Math.min(...pauses)
}

test('after a signal for a few commands, the next one comes soon', async () => {
  expect(await shortestPause([15])).toBeLessThan(15)
})

test('after a signal for many commands, in one batch or in several, the next one waits longer', async () => {
  expect(await shortestPause([16])).toBeGreaterThan(15)
  expect(await shortestPause([10, 6])).toBeGreaterThan(15)
})

test('the SQLite writer reports each batch once, with the number of its commands', async () => {
  const batches: number[] = []
  let commands = 0
  await using store = await openTestStore('sqlite', {
    wrapEngine: engine => {
      engine.watch(count => batches.push(count))
      return {
        ...engine,
        // The store runs commands of its own too, such as a sweep.
        execute: command => {
          commands++
          return engine.execute(command)
        },
      }
    },
  })
  const names = Array.from({ length: 20 }, (_, index) => `Category ${index}`)
  await Promise.all(names.map(name => store.client.createCategory({ body: { name } })))
  await until('each command is reported', () => batches.reduce((sum, count) => sum + count, 0) === commands)
  expect(commands).toBeGreaterThanOrEqual(20)
  expect(batches.length).toBeLessThan(commands)
})

test('whoever waits for a commit is woken when the store stops, and nobody waits after that', async () => {
  const signal = new CommitSignal(() => () => {})
  const waiting = signal.next()
  signal.end()
  await waiting
  await signal.next()
  expect(signal.hasEnded).toBeTrue()
}, 10_000)
