import { Argument, type Command } from 'commander'
import { print } from '../terminal/terminal.ts'
import { candidatesFor } from './candidates.ts'
import { scripts, shells } from './scripts.ts'

/** Adds the command `completion`, which prints a script that completes commands, options and values in a shell. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and values in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', '\nExample, for ~/.bashrc:\n  eval "$(petstore completion bash)"')
    .action((shell: (typeof shells)[number]) => print(scripts[shell]))
}

/**
 * Adds the hidden command `__complete`, which the scripts call with the typed words. `load` adds the command that the
 * first word names, or all commands for an unfinished first word.
 */
export function addCompleter(program: Command, load: (word?: string) => Promise<void>): void {
  program.command('__complete [words...]', { hidden: true }).action(async (words: string[]) => {
    await load(words.length > 1 ? words[0] : undefined)
    for (const line of candidatesFor(program, words)) await print(`${line}\n`)
  })
}
