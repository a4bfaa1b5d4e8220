import type { Command } from 'commander'
import { newKey } from '../../shop/keys/key-text.ts'
import { print } from '../terminal/terminal.ts'

/** Adds the command `new-key`, which prints a new key for PETSTORE_ADMIN_KEY without storing it. */
export function addNewKey(program: Command): void {
  program
    .command('new-key')
    .description('print a new key, for PETSTORE_ADMIN_KEY')
    .action(async () => {
      await print(`${newKey()}\n`)
    })
}
