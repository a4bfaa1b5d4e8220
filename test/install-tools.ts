import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// Installs the packages of test/package.json: tools that only tests and some programs of developers need, such as a
// browser, a PostgreSQL, linters and generators of clients. They are more than half of all packages, so a clone that
// only runs the store does without them. The npm scripts that need the tools run this program first. It does nothing
// if the tools are installed and the lockfile has not changed since.

const folder = import.meta.dir
const lockfile = readFileSync(join(folder, 'package-lock.json'), 'utf8')
/** A copy of the lockfile of the installed tools. npm deletes it with the old tools, so it is never ahead of them. */
const installedLockfile = join(folder, 'node_modules', '.petstore-lock.json')

if (!existsSync(installedLockfile) || readFileSync(installedLockfile, 'utf8') !== lockfile) {
  process.stderr.write(
    'Installing the tools of the tests in test/node_modules (650 MB, once; a minute or two) ...\n',
  )
  const { exitCode } = Bun.spawnSync(['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (exitCode !== 0) {
    process.stderr.write(
      'The tools of the tests were not installed. See the error of npm above, if there is one, and run this again.\n',
    )
    process.exit(1)
  }
  writeFileSync(installedLockfile, lockfile)
}
