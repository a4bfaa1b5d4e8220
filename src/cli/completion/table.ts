import type { Command, Option } from 'commander'

/** The parts of a command that the completion of a shell needs. */
export interface CompletedCommand {
  /**
   * All names: `list-pets` and `listPets`. The name of a subcommand includes its parent: `audit verify`. The help shows
   * only the first name.
   */
  readonly names: readonly string[]
  readonly description: string
  readonly options: readonly CompletedOption[]
  /** What can follow the name: the subcommands, or the values of the first argument. */
  readonly words: readonly string[]
  readonly hasSubcommands: boolean
}

export interface CompletedOption {
  /** The name with its dashes: `--status`. */
  readonly flag: string
  readonly description: string
  /** The values, if there are only a few. */
  readonly values: readonly string[]
  readonly takesValue: boolean
  readonly takesFile: boolean
}

/** Returns the commands of a program with their options. `otherName` returns a second name of a command. */
export function completedCommands(
  program: Command,
  otherName: (name: string) => string | undefined,
): CompletedCommand[] {
  return program.commands.flatMap(command => {
    const { commands, registeredArguments } = command
    const name = command.name()
    const secondName = otherName(name)
    const whole: CompletedCommand = {
      names: secondName === undefined ? [name] : [name, secondName],
      description: command.summary() || command.description(),
      options: command.options.filter(option => !option.hidden).map(completedOption),
      words:
        commands.length > 0
          ? commands.map(subcommand => subcommand.name())
          : (registeredArguments[0]?.argChoices ?? []),
      hasSubcommands: commands.length > 0,
    }
    const subcommands = completedCommands(command, () => undefined)
    return [
      whole,
      ...subcommands.map(subcommand => ({
        ...subcommand,
        names: subcommand.names.map(word => `${name} ${word}`),
      })),
    ]
  })
}

function completedOption(option: Option): CompletedOption {
  return {
    flag: option.long ?? option.flags,
    description: option.description,
    values: option.argChoices ?? [],
    takesValue: option.required || option.optional,
    takesFile: /<(file|directory|json|key)>/.test(option.flags),
  }
}
