import { type Reading, sql, type Tx } from '../engine/engine.ts'

const findNote = sql<{ value: string }>('SELECT value FROM note WHERE name = $1')

const insertNote = sql('INSERT INTO note (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING')

/** Returns the metadata of the store under a name. */
export async function readNote(reading: Reading, name: string): Promise<string | undefined> {
  return (await reading.one(findNote, name))?.value
}

/** Stores a text under a name, unless there already is one. */
export async function keepNote(tx: Tx, { name, value }: { name: string; value: string }): Promise<void> {
  await tx.run(insertNote, name, value)
}

const upsertNote = sql(`
  INSERT INTO note (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`)

/** Stores a text under a name, and replaces any existing text. */
export async function replaceNote(tx: Tx, { name, value }: { name: string; value: string }): Promise<void> {
  await tx.run(upsertNote, name, value)
}
