import { readFileSync } from 'node:fs'
import type { Command } from 'commander'

const EXAMPLES = `
Examples:
  petstore licenses
  petstore licenses --summary | grep -v ' MIT$'`

const ROW = /^\| (?<name>[^ |]+) \| (?<version>[^|]+) \| (?<license>[^|]+) \|$/

/** Adds the command `licenses`, which prints the packages that the store contains, with their licenses. */
export function addLicenses(program: Command): void {
  program
    .command('licenses')
    .description('print the third-party packages of the store, and their licenses')
    .option('--summary', 'print only one line for each package: name, version, license')
    .addHelpText('after', EXAMPLES)
    .action(({ summary }: { readonly summary?: true }) => {
      const page = readFileSync(new URL('../../THIRD-PARTY.md', import.meta.url), 'utf8')
      process.stdout.write(summary ? `${summaryOf(page).join('\n')}\n` : page)
    })
}

/** Returns a line for each row of the table of packages. */
function summaryOf(page: string): string[] {
  const rows = page.split('\n').slice(page.split('\n').findIndex(line => /^\| --- /.test(line)) + 1)
  return rows.flatMap(line => {
    const { name, version, license } = ROW.exec(line)?.groups ?? {}
    return name === undefined ? [] : [`${name} ${version} ${license}`]
  })
}
