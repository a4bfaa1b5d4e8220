import { join } from 'node:path'

/** The directory of the project. */
export const ROOT = join(import.meta.dir, '..', '..')
/** The packages of the tools that only the tests need. */
export const TOOLS = join(ROOT, 'test', 'node_modules')
