import { SlicedWork } from '../../src/engine/time-slices.ts'

/** Broken on purpose: while `work` runs, no long command pauses for the other sandboxes. */
export async function withoutSlices<T>(work: () => Promise<T>): Promise<T> {
  const isSliceOver = Object.getOwnPropertyDescriptor(SlicedWork.prototype, 'isSliceOver') ?? {}
  Object.defineProperty(SlicedWork.prototype, 'isSliceOver', { get: () => false, configurable: true })
  try {
    return await work()
  } finally {
    Object.defineProperty(SlicedWork.prototype, 'isSliceOver', isSliceOver)
  }
}
