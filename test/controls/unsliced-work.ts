import { SlicedWork } from '../../src/engine/time-slices.ts'

/** Runs work while no long command of a light engine pauses. */
export async function withoutSlices<T>(work: () => Promise<T>): Promise<T> {
  const isSliceOver = Object.getOwnPropertyDescriptor(SlicedWork.prototype, 'isSliceOver') ?? {}
  Object.defineProperty(SlicedWork.prototype, 'isSliceOver', { get: () => false, configurable: true })
  try {
    return await work()
  } finally {
    Object.defineProperty(SlicedWork.prototype, 'isSliceOver', isSliceOver)
  }
}
