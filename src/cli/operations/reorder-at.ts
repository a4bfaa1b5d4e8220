import { Argument, type Command, InvalidArgumentError } from 'commander'
import { createClient } from '../../client/client.ts'
import { setReorderLevel } from '../../client/reorder-level.ts'
import { STOCK_MAX } from '../../shop/kernel/limits.ts'
import { InventoryItem } from '../../shop/stock/schema.ts'
import { parseInt64 } from '../../values/int64.ts'
import { chooseStore } from '../store-access/called-store.ts'
import { printResource } from '../terminal/output.ts'
import { readId } from '../terminal/whole-number.ts'
import { columnsOf } from './columns.ts'
import { failureOf } from './request-failure.ts'
import { addOptions, deadline, formatOf, type RequestOptions, requestOptions } from './request-options.ts'

const NONE = 'none'

/**
 * Adds the command `reorder-at`. The command of the operation set-inventory needs the quantity too, which a sale can
 * change between the reading and the writing.
 */
export function addReorderAt(program: Command): void {
  const command = program
    .command('reorder-at')
    .description('set the quantity at which a pet should be reordered, without changing its stock')
    .addArgument(new Argument('<pet>', 'the id of the pet').argParser(readId))
    .addArgument(new Argument('<level>', `the quantity, or ${NONE}`).argParser(readLevel))
  addOptions(command, 'Common options:', requestOptions())
  command.addHelpText(
    'after',
    '\nExamples:\n  petstore reorder-at 12 5\n  petstore list-inventory --to-reorder true\n\nRequires a key with inventory:write.',
  )
  command.action(runReorderAt)
}

function readLevel(text: string): bigint | null {
  if (text === NONE) return null
  const level = parseInt64(text)
  if (level !== undefined && level >= 0n && level <= STOCK_MAX) return level
  throw new InvalidArgumentError(`It must be a number from 0 to ${STOCK_MAX}, or ${NONE}.`)
}

async function runReorderAt(petId: bigint, level: bigint | null, options: RequestOptions): Promise<void> {
  const store = chooseStore(options)
  const client = createClient({ baseUrl: store.url, key: store.key, timeoutMs: Number.POSITIVE_INFINITY })
  try {
    const item = await setReorderLevel(client, petId, level, deadline(options))
    await printResource(item, { format: formatOf(options), columns: columnsOf(InventoryItem) })
  } catch (error) {
    throw failureOf(error, { store, timeoutSeconds: options.timeout, isChange: true })
  }
}
