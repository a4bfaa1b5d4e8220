import type { Migrations } from '../../src/database/migrate.ts'
import { sql } from '../../src/database/statement.ts'

/** The environment variable that makes the step fail. */
export const STEP_FAILS_VARIABLE = 'LATER_STEP_FAILS'

/** The environment variable that says that the later scripts only expand the tables. */
export const EXPANDS_VARIABLE = 'LATER_ONLY_EXPANDS'

const readNames = sql<{ id: bigint; name: string }>()('SELECT id, name FROM pet ORDER BY id')
const writeNickname = sql()('UPDATE pet SET nickname = $nickname WHERE id = $id')

const ADD_COLOUR = 'ALTER TABLE category ADD COLUMN colour TEXT'
const ADD_NICKNAME = 'ALTER TABLE pet ADD COLUMN nickname TEXT'

/** The scripts that `LaterPetstore` has after those of this petstore, on both engines. */
export const laterScripts: readonly string[] = [ADD_COLOUR, ADD_NICKNAME]

/** The step after the last script writes what no SQL computes: the names, backwards. */
export const laterSteps: Migrations['steps'] = new Map([
  [
    ADD_NICKNAME,
    async (tx, onProgress) => {
      const pets = await tx.many(readNames)
      for (const { id, name } of pets)
        await tx.run(writeNickname, { id, nickname: [...name].reverse().join('') })
      onProgress(`Migrating: ${pets.length} pets`)
      if (process.env[STEP_FAILS_VARIABLE]) throw new Error('the step failed')
    },
  ],
])
