import { randomBytes } from 'node:crypto'
import { KEY_RANDOM_BYTES, keyText } from '../../src/model/key.ts'
import { hasAdminKey } from '../../src/shop/keys.ts'
import { systemCommand } from '../../src/store/commands.ts'
import type { ensureAdminKey } from '../../src/store/maintenance.ts'

/** Broken on purpose: a first start that commits the key before the file contains it. */
export const commitBeforeFile: typeof ensureAdminKey = async (engine, given, clock) => {
  if (typeof given === 'string') return false
  const now = new Date(clock()).toISOString()
  if (await engine.readShort(reader => hasAdminKey(reader, now))) return false
  const token = keyText(randomBytes(KEY_RANDOM_BYTES))
  await engine.execute(systemCommand('installAdminKey', { token, madeBy: 'first start' }, now, 'petstore'))
  given.write(token)
  return true
}
