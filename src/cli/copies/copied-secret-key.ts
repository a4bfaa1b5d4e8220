import { existsSync, readFileSync, rmSync } from 'node:fs'
import { writeWholeFile } from '../../files/private-file.ts'
import { secretKeyPath } from '../keys/secret-key.ts'
import { CommandFailed, escapeControls } from '../terminal/terminal.ts'

/**
 * Copies the file of a secret key to a data directory, unless the directory has the same key. `undo` of the result
 * deletes the copy. Throws CommandFailed if the directory has a different key; `action` completes its message.
 */
export function copySecretKey(
  source: string,
  directory: string,
  action: 'copied' | 'restored',
): { undo(): void } {
  const key = readFileSync(source, 'utf8')
  const target = secretKeyPath(directory)
  if (existsSync(target)) {
    if (readFileSync(target, 'utf8').trim() === key.trim()) return { undo: () => {} }
    const advice = escapeControls(`Move ${target} away first: it differs from the key in ${source}`)
    throw new CommandFailed(`${advice}. Nothing was ${action}.`)
  }
  writeWholeFile(target, key, { replace: false })
  return { undo: () => rmSync(target, { force: true }) }
}
