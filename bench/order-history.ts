import { openWriter } from '../src/database/sqlite/connection.ts'
import { databaseFile } from '../src/database/sqlite/database-file.ts'
import { BatchWriter } from '../src/database/sqlite/group-commit.ts'
import { type Command, type CommandResult, executeCommand, replyOf } from '../src/shop/registry/commands.ts'
import { storedInstant } from '../src/values/instant.ts'
import { orderCommand } from './order-command.ts'
import { PET_ID_FIRST } from './store.ts'

const BATCH = 64

interface History {
  /** The number of orders, a multiple of 64. */
  readonly orders: number
  /** The number of pets that are ordered in turn, one unit at a time. */
  readonly pets: number
  readonly isKeyed: boolean
}

/** Places orders in a stopped store on SQLite, with the verbs of the program. Throws if the store refuses one. */
export async function placeHistory(directory: string, { orders, pets, isKeyed }: History): Promise<void> {
  const connection = openWriter(databaseFile(directory))
  try {
    const writer = new BatchWriter<Command, CommandResult>(connection, executeCommand)
    const commandOf = (order: number): Command => {
      const petId = BigInt(PET_ID_FIRST + (order % pets))
      return orderCommand(petId, storedInstant(Date.now()), isKeyed ? `history-${order}` : null)
    }
    for (let first = 0; first < orders; first += BATCH) {
      const commands = Array.from({ length: BATCH }, (_, index) => commandOf(first + index))
      for (const outcome of await writer.commit(commands)) {
        if (!('reply' in outcome) || replyOf(outcome.reply).status !== 201)
          throw new Error(`an order of the history was not placed: ${JSON.stringify(outcome)}`)
      }
    }
  } finally {
    connection.close()
  }
}
