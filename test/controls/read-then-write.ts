import { StoreError } from '../../src/contract/error.ts'
import type { Tx } from '../../src/database/engine.ts'
import { sql } from '../../src/database/statement.ts'
import { NewOrder } from '../../src/shop/orders/schema.ts'
import type { Command, CommandResult } from '../../src/shop/registry/commands.ts'
import { executeCommand } from '../../src/shop/registry/run.ts'
import { findPet } from '../../src/shop/stock/rows.ts'

const overwriteReserved = sql()(
  `UPDATE pet SET reserved = $reserved, status = CASE WHEN quantity = $reserved THEN 'pending' ELSE 'available' END
  WHERE id = $petId`,
)
const insertOrder = sql()(`
  INSERT INTO orders (id, pet_id, quantity, ship_date, complete, version, created_at, updated_at)
  VALUES ($orderId, $petId, $quantity, NULL, 0, 1, $now, $now)`)

/** Broken on purpose: an order reads the stock, decides, and writes the values that it calculated. */
export async function performReadThenWrite(tx: Tx, command: Command): Promise<CommandResult> {
  if (command.id !== 'placeOrder' || !('body' in command.input)) return executeCommand(tx, command)
  const { petId, quantity = 1n } = NewOrder.parse(command.input.body)
  const pet = await findPet(tx, petId)
  if (!pet || pet.quantity - pet.reserved < quantity) throw new StoreError('insufficient_stock', 'none left')
  const id = await tx.nextId('order')
  await tx.run(overwriteReserved, { petId, reserved: pet.reserved + quantity })
  await tx.run(insertOrder, { orderId: id, petId, quantity, now: command.context.now })
  return { status: 201, body: `{"id":${id},"petId":${petId},"quantity":${quantity},"complete":false}` }
}
