import type { Reader, Tx } from '../../database/engine.ts'
import { dynamicSql, sql } from '../../database/statement.ts'
import { replaceMetadata } from '../kernel/metadata.ts'

/** The encrypted secrets of a webhook. */
interface StoredSecrets {
  readonly id: bigint
  readonly secret: string
  readonly previousSecret: string | null
}

const selectSecrets = sql<StoredSecrets>()(
  'SELECT id, secret, previous_secret AS "previousSecret" FROM webhook ORDER BY id',
)

const updateSecrets = sql()(
  'UPDATE webhook SET secret = $secret, previous_secret = $previousSecret WHERE id = $id',
)

/** Makes other transactions on PostgreSQL wait that read or change a webhook. */
const lockWebhooks = dynamicSql(() => ['SELECT 1', 'LOCK TABLE webhook IN ACCESS EXCLUSIVE MODE'])

export async function readSecrets(reader: Reader): Promise<StoredSecrets[]> {
  return await reader.many(selectSecrets)
}

interface Replacement {
  /** The secrets of all webhooks when they were encrypted again. */
  readonly was: readonly StoredSecrets[]
  readonly secrets: readonly StoredSecrets[]
  /** The check value of the new key. */
  readonly checkValue: string
}

/** Replaces all secrets, and the check value of their key. Returns 1, and changes nothing, if one was changed. */
export async function replaceSecrets(tx: Tx, { was, secrets, checkValue }: Replacement): Promise<number> {
  await tx.many(lockWebhooks)
  const textOf = (rows: readonly StoredSecrets[]): string =>
    rows.map(({ id, secret, previousSecret }) => `${id} ${secret} ${previousSecret}`).join('\n')
  if (textOf(await readSecrets(tx)) !== textOf(was)) return 1
  for (const { id, secret, previousSecret } of secrets)
    await tx.run(updateSecrets, { id, secret, previousSecret })
  await replaceMetadata(tx, { name: 'secret-key', value: checkValue })
  return 0
}
