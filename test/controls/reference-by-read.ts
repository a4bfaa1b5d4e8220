import { StoreError } from '../../src/contract/error.ts'
import type { Tx } from '../../src/database/engine.ts'
import { sql } from '../../src/database/statement.ts'
import { NewPet } from '../../src/shop/pets/schema.ts'
import type { Command, CommandResult } from '../../src/shop/registry/commands.ts'
import { executeCommand } from '../../src/shop/registry/run.ts'

const findCategory = sql<{ id: bigint }>()('SELECT id FROM category WHERE id = $categoryId')
const insertPet = sql()(`
  INSERT INTO pet (id, name, name_key, category_id, on_hold, quantity, reserved, status, version, created_at,
    updated_at)
  VALUES ($petId, $name, $name, $categoryId, 0, 0, 0, 'sold', 1, $now, $now)`)

/** Broken on purpose: a pet creation reads its category, and nothing prevents the deletion of the category. */
export async function performReferenceByRead(tx: Tx, command: Command): Promise<CommandResult> {
  if (command.id !== 'createPet' || !('body' in command.input)) return executeCommand(tx, command)
  const { name, categoryId } = NewPet.parse(command.input.body)
  if (!(await tx.one(findCategory, { categoryId })))
    throw new StoreError('unknown_reference', 'no such category')
  const id = await tx.nextId('pet')
  await tx.run(insertPet, { petId: id, name, categoryId, now: command.context.now })
  return { status: 201, body: `{"id":${id},"name":"${name}","categoryId":${categoryId},"status":"sold"}` }
}
