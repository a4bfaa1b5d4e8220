import { join } from 'node:path'

/** The directory of the project. */
export const ROOT = join(import.meta.dir, '..', '..')
