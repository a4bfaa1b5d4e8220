import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeDirectory, writeWholeFile } from '../../files/private-file.ts'
import type { KeyFile } from '../../serving/first-start.ts'
import { isKeyText } from '../../shop/keys/key-text.ts'
import { CommandFailed, reasonOf } from '../terminal/terminal.ts'

/** Returns the path of the generated admin key in a data directory. */
export function adminKeyPath(directory: string): string {
  return join(directory, 'admin-key')
}

/** The admin key file of a data directory. `write` throws CommandFailed. */
export function adminKeyFile(directory: string): KeyFile {
  const path = adminKeyPath(directory)
  return {
    read: () => readKey(path),
    write: key => {
      try {
        makeDirectory(directory)
        writeWholeFile(path, `${key}\n`, { replace: true })
      } catch (error) {
        const failure = `The admin key cannot be written to ${path}, so none was created: ${reasonOf(error)}.`
        throw new CommandFailed(`${failure} Alternatively, set PETSTORE_ADMIN_KEY.`)
      }
    },
  }
}

/** Returns the key in the file; undefined if there is no file or no valid key in it. */
function readKey(path: string): string | undefined {
  try {
    // Reading a pipe at this path would block until its other end is opened.
    if (!statSync(path).isFile()) return undefined
    const text = readFileSync(path, 'utf8').trim()
    return isKeyText(text) ? text : undefined
  } catch {
    return undefined
  }
}
