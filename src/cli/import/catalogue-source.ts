import type { Stats } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { type CatalogueSource, UnreadableFile } from '../../catalogue/file-text.ts'
import { hasCode } from '../../files/system-error.ts'
import { CommandFailed, escapeControls, fileName, reasonOf } from '../terminal/terminal.ts'

/** Returns a file on this machine for an import. It is refused if it changes while it is read. */
export function catalogueSource(path: string): CatalogueSource {
  return { name: basename(path), chunks: () => unchangedChunks(path) }
}

async function* unchangedChunks(path: string): AsyncGenerator<Uint8Array> {
  const stats = (): Promise<Stats | undefined> => stat(path).catch(() => undefined)
  const before = await stats()
  try {
    yield* Bun.file(path).stream()
  } catch (error) {
    throw new UnreadableFile(`${fileName(path)} cannot be read: ${reasonOf(error)}.`)
  }
  const after = await stats()
  if (!before || after?.size !== before.size || after.mtimeMs !== before.mtimeMs) {
    throw new UnreadableFile(
      `${fileName(path)} changed while it was read: import it again once it is complete.`,
    )
  }
}

/** Returns the size of a file in bytes. Throws CommandFailed if it is not a readable regular file. */
export async function fileBytes(path: string): Promise<number> {
  const name = escapeControls(resolve(path))
  try {
    const stats = await stat(path)
    await access(path, constants.R_OK)
    if (stats.isFile()) return stats.size
  } catch (error) {
    const isMissing = hasCode(error, 'ENOENT')
    throw new CommandFailed(`${name} ${isMissing ? 'does not exist' : `cannot be read: ${reasonOf(error)}`}.`)
  }
  throw new CommandFailed(`${name} is not a regular file: a directory or a device cannot be imported.`)
}
