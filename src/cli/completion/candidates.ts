import type { Command, Option } from 'commander'
import { findOperation, kebabCase } from '../operations/names.ts'

/** The only line if the shell itself completes the names of files. */
export const FILES = ':files'

/**
 * Returns what can stand in place of the last word, which may be incomplete: lines of a word and, after a tab, its
 * description. The shell leaves out the words that do not begin like the last word.
 */
export function candidatesFor(
  program: Command,
  [first = '', ...others]: readonly string[],
): readonly string[] {
  if (others.length === 0) return [...program.commands.map(described), 'help', '--help', '--version']
  const id = findOperation(first)
  const named = commandIn(program, id === undefined ? first : kebabCase(id))
  const subcommand = others.length > 1 ? named && commandIn(named, others[0]) : undefined
  const command = subcommand ?? named
  if (!command) return []
  const words = subcommand ? others.slice(1) : others
  const current = words.at(-1) ?? ''
  const [, flag = words.at(-2)] = /^(--[^=]*)=/.exec(current) ?? []
  const option = command.options.find(({ long }) => long === flag)
  if (option?.required || option?.optional) return valuesOf(option, flag === words.at(-2) ? '' : `${flag}=`)
  const following = words.length === 1 && !current.startsWith('-') ? followingWords(command) : []
  if (following.length > 0 || (words.length > 1 && !current.startsWith('-'))) return following
  const options = command.options.filter(({ hidden }) => !hidden)
  return [...options.map(({ long, description }) => line(long ?? '', description)), '--help']
}

function commandIn(parent: Command, name: string | undefined): Command | undefined {
  return parent.commands.find(command => command.name() === name)
}

function followingWords({ commands, registeredArguments }: Command): readonly string[] {
  return commands.length > 0 ? commands.map(described) : (registeredArguments[0]?.argChoices ?? [])
}

function valuesOf({ argChoices, flags }: Option, prefix: string): string[] {
  if (argChoices) return argChoices.map(value => prefix + value)
  return /<(file|directory|json|key)>/.test(flags) ? [FILES] : []
}

function described(command: Command): string {
  return line(command.name(), command.summary() || command.description())
}

function line(word: string, description: string): string {
  return `${word}\t${description.replaceAll(/\s+/g, ' ').replaceAll('`', '')}`
}
