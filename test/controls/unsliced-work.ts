import { SlicedWork } from '../../src/engine/time-slices.ts'

/** Runs work while no long command of a light engine pauses. */
export async function withoutSlices<T>(work: () => Promise<T>): Promise<T> {
  const isDue = Object.getOwnPropertyDescriptor(SlicedWork.prototype, 'isDue') ?? {}
  Object.defineProperty(SlicedWork.prototype, 'isDue', { get: () => false, configurable: true })
  try {
    return await work()
  } finally {
    Object.defineProperty(SlicedWork.prototype, 'isDue', isDue)
  }
}
