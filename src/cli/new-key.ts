import type { Command } from 'commander'
import { newKey } from '../model/key.ts'
import { print } from './terminal.ts'

/** Adds the command `new-key`, which prints a new key for PETSTORE_ADMIN_KEY without storing it. */
export function addNewKey(program: Command): void {
  program
    .command('new-key')
    .description('print a new key, for PETSTORE_ADMIN_KEY')
    .action(async () => {
      await print(`${newKey()}\n`)
    })
}
