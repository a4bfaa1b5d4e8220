import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWholeFile } from '../../files/private-file.ts'
import { isKeyText, newKey } from '../../shop/keys/key-text.ts'

/** Returns the path of the host key in the data directory of a host. */
export function hostKeyPath(directory: string): string {
  return join(directory, 'host-key')
}

/**
 * Returns the host key of a data directory, which creates classes. The first start writes it to a file that only the
 * owner of the host can read; without the file, the next start writes another key.
 */
export function readHostKey(directory: string): string {
  const path = hostKeyPath(directory)
  const known = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (isKeyText(known)) return known
  const key = newKey()
  writeWholeFile(path, `${key}\n`, { replace: true })
  return key
}
