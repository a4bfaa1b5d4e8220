import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyFile } from '../chores.ts'
import { makeDirectory, writeWholeFile } from '../engine/private-file.ts'
import { isKeyText } from '../model/key.ts'
import { CommandFailed, reasonOf } from './terminal.ts'

/** Where a data directory keeps the admin key that the store made. */
export function adminKeyPath(directory: string): string {
  return join(directory, 'admin-key')
}

/** The file of the admin key in a data directory. `write` throws CommandFailed. */
export function adminKeyFile(directory: string): KeyFile {
  const path = adminKeyPath(directory)
  return {
    read: () => readKey(path),
    write: key => {
      try {
        makeDirectory(directory)
        writeWholeFile(path, `${key}\n`, { replace: true })
      } catch (error) {
        const failure = `The admin key cannot be written to ${path}, so none was made: ${reasonOf(error)}.`
        throw new CommandFailed(`${failure} PETSTORE_ADMIN_KEY can give one instead.`)
      }
    },
  }
}

/** The key in the file; undefined without a file, or when it holds no key. */
function readKey(path: string): string | undefined {
  try {
    // To read a pipe that somebody put here would wait for its other end.
    if (!statSync(path).isFile()) return undefined
    const text = readFileSync(path, 'utf8').trim()
    return isKeyText(text) ? text : undefined
  } catch {
    return undefined
  }
}
