import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reader } from '../../database/engine.ts'
import { SqliteConnection } from '../../database/sqlite/connection.ts'
import { databaseFile } from '../../database/sqlite/database-file.ts'
import { verifyAuditChain } from '../../shop/log/verification.ts'

/**
 * Returns the first problem of the audit log of a copied database. A changed entry is no reason to have no backup of
 * all that came after it.
 */
export async function findAuditProblem(directory: string, signal?: AbortSignal): Promise<string | undefined> {
  using copy = new SqliteConnection(databaseFile(directory), { readonly: true })
  const reader: Reader = {
    one: (...query) => copy.one(...query),
    many: async (...query) => {
      // An interruption, or a request of a running store, waits for no more than one page.
      await nextTurn()
      signal?.throwIfAborted()
      return copy.many(...query)
    },
  }
  const { problems } = await verifyAuditChain(reader)
  return problems[0]
}
