import type { Command } from 'commander'
import { print } from '../terminal/terminal.ts'
import { summaryOf } from './command.ts'
import { commandIds, kebabCase, operationOf } from './names.ts'

/** Adds the command `operations`, which lists the commands of the API operations. */
export function addOperations(program: Command): void {
  program
    .command('operations')
    .description('list the commands that call the operations of the API')
    .action(() => print(operationsText()))
}

function operationsText(): string {
  const tags = [...new Set(commandIds.map(id => operationOf(id).tag))]
  const width = Math.max(...commandIds.map(id => kebabCase(id).length))
  const groups = tags.map(tag => {
    const ids = commandIds.filter(id => operationOf(id).tag === tag)
    const lines = ids.map(id => `  ${kebabCase(id).padEnd(width)}  ${summaryOf(operationOf(id))}\n`)
    return `${tag}\n${lines.join('')}`
  })
  return `${groups.join('\n')}\n"petstore help list-pets" describes one. Names such as listPets are accepted as well.\n`
}
