import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'

const PATH = /<(file|directory|place)>$/
const MAY_BE_FILE = ['--key', '--body']
const URL_START = /^[a-z][a-z0-9+.-]*:\/\//i

/**
 * Makes the paths that a user typed absolute, if npm runs this process in the folder of this package: then the user may
 * have typed them in another folder, which npm names in INIT_CWD. Defaults and variables stay relative to the package.
 */
export function resolveTypedPaths(command: Command): void {
  const typedIn = typingFolder(process.env, process.cwd())
  if (typedIn === undefined) return
  for (const option of command.options) {
    const name = option.attributeName()
    const value: unknown = command.getOptionValue(name)
    if (typeof value !== 'string' || command.getOptionValueSource(name) !== 'cli') continue
    const isFile = MAY_BE_FILE.includes(option.long ?? '') && value.startsWith('@')
    if (isFile) command.setOptionValueWithSource(name, `@${resolve(typedIn, value.slice(1))}`, 'cli')
    else if (PATH.test(option.flags) && !URL_START.test(value))
      command.setOptionValueWithSource(name, resolve(typedIn, value), 'cli')
  }
  for (const [index, argument] of command.registeredArguments.entries()) {
    const value: unknown = command.processedArgs[index]
    if (PATH.test(`<${argument.name()}>`) && typeof value === 'string')
      command.processedArgs[index] = resolve(typedIn, value)
  }
}

/** Returns the folder in which the user typed a command of npm; undefined if it is `cwd`, or if npm does not run us. */
export function typingFolder(
  { INIT_CWD, npm_package_json, npm_package_name }: Readonly<Record<string, string | undefined>>,
  cwd: string,
): string | undefined {
  if (!INIT_CWD || !npm_package_json || npm_package_name !== 'petstore') return undefined
  // A program that a script starts in another folder takes its paths from there.
  return dirname(npm_package_json) === cwd && resolve(INIT_CWD) !== cwd ? INIT_CWD : undefined
}
