import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The folder that contains `dist` and `demo`. In a clone and in the npm package, it is the folder above `src`. In the
 * single file, it is the embedded folder that contains all modules.
 */
const PROGRAM_FOLDER = new URL(Bun.isStandaloneExecutable ? './' : '../../', import.meta.url)

/** Returns the path of a file or folder of the program, such as `dist/console`. The file may not exist. */
export function programFile(path: string): string {
  return fileURLToPath(new URL(path, PROGRAM_FOLDER))
}

/** The built files and folders of the pages for browsers. */
export const builtPages = {
  console: programFile('dist/console'),
  docs: programFile('dist/docs/scalar.js'),
  guides: programFile('dist/guide'),
}

/** Returns whether the files of the docs page, of the guides and of the console exist. */
export function arePagesBuilt(): boolean {
  return Object.values(builtPages).every(path => existsSync(path))
}
