import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { programFile } from '../../files/program-files.ts'
import { print } from '../terminal/terminal.ts'

/**
 * The files to print, if they exist. `packages.txt` exists only in the single-file executable, which contains the
 * packages that the server imports.
 */
const FILES = [
  'LICENSE',
  'THIRD-PARTY.md',
  'licenses/packages.txt',
  'dist/docs/licenses.txt',
  'dist/console/licenses.txt',
  'licenses/LGPL-2.1.txt',
]

const EXAMPLES = `
Examples:
  petstore licenses
  petstore licenses --summary | grep -v ' MIT$'`

const ROW = /^\| (?<name>[^ |]+) \| (?<version>\d[^ |]*) \| (?<license>[^|]+) \|$/

/** Adds the command `licenses`, which prints the licenses of the store and of everything that it contains. */
export function addLicenses(program: Command): void {
  program
    .command('licenses')
    .description('print the licenses of petstore and of everything in it')
    .option('--summary', 'print only one line for each package that the server needs: name, version, license')
    .addHelpText('after', EXAMPLES)
    .action(async ({ summary }: { readonly summary?: true }) => {
      if (summary)
        return print(`${summaryOf(await readFile(programFile('THIRD-PARTY.md'), 'utf8')).join('\n')}\n`)
      const texts = FILES.map(programFile).filter(path => existsSync(path))
      for (const [index, path] of texts.entries()) {
        if (index > 0) await print(`\n${'='.repeat(80)}\n\n`)
        await print(await readFile(path, 'utf8'))
      }
    })
}

function summaryOf(page: string): string[] {
  return page.split('\n').flatMap(line => {
    const { name, version, license } = ROW.exec(line)?.groups ?? {}
    return name === undefined ? [] : [`${name} ${version} ${license}`]
  })
}
