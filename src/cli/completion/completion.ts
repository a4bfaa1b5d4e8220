import { Argument, type Command } from 'commander'
import { addOperation } from '../operations/command.ts'
import { commandIds, findOperation } from '../operations/names.ts'
import { print } from '../terminal/terminal.ts'
import { completionScript, type Shell, shells } from './scripts.ts'
import { completedCommands } from './table.ts'

/** Adds the command `completion`, which prints a script that completes all local commands and all API operations. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and values in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', '\nExample, for ~/.bashrc:\n  eval "$(petstore completion bash)"')
    .action(async (shell: Shell) => {
      for (const id of commandIds) addOperation(program, id)
      await print(completionScript(shell, completedCommands(program, findOperation)))
    })
}
