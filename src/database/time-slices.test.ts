import { expect, test } from 'bun:test'
import { SlicedWork, TimeSlices } from './time-slices.ts'

/** Keeps the thread until the slice of a task is over. */
function useSlice(work: SlicedWork): void {
  while (!work.isSliceOver);
}

test('long tasks take turns, and other work runs between two slices', async () => {
  const slices = new TimeSlices()
  const turns: string[] = []
  const run = async (name: string): Promise<void> => {
    for (let slice = 0; slice < 3; slice++) {
      await slices.next()
      turns.push(name)
      setImmediate(() => turns.push('-'))
    }
  }
  await Promise.all([run('a'), run('b')])
  expect(turns.filter(turn => turn !== '-').join('')).toBe('ababab')
  expect(turns.join('')).not.toMatch(/[ab][ab][ab]/)
})

test('a slice lasts some milliseconds, and so does each later one', async () => {
  const work = new SlicedWork(new TimeSlices())
  let begun = 0
  // On a busy machine the thread may lose its time just after a slice has begun.
  for (let slice = 0; slice < 20; slice++) {
    useSlice(work)
    await work.next()
    if (!work.isSliceOver) begun++
  }
  expect(begun).toBeGreaterThan(5)
})
