import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { textOfFile, UnreadableFile } from '../../catalogue/file-text.ts'
import { StoreError } from '../../contract/error.ts'
import { readJson } from '../../contract/json-body.ts'
import { BODY_BYTES_MAX } from '../../contract/limits.ts'
import type { JsonValue } from '../../values/json.ts'
import { CommandFailed, EXIT_USAGE, reasonOf } from '../terminal/terminal.ts'

/** Returns the body that --body gives: JSON, `@file`, or `-` for standard input. Throws CommandFailed. */
export async function readBodyOption(text: string, flag: string): Promise<JsonValue> {
  const bytes = await bytesOf(text, flag)
  try {
    return readJson(bytes)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new CommandFailed(`${flag}: ${error.message}`, EXIT_USAGE)
  }
}

async function bytesOf(text: string, flag: string): Promise<Uint8Array> {
  if (text === '-') return await readAll(process.stdin, `The standard input (${flag} -)`)
  if (!text.startsWith('@')) return new TextEncoder().encode(text)
  const file = text.slice(1)
  try {
    const bytes = await readAll(createReadStream(file), `The file ${file}`)
    return new TextEncoder().encode(textOfFile(file, bytes, 'text'))
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    if (error instanceof UnreadableFile) throw new CommandFailed(error.message, EXIT_USAGE)
    throw new CommandFailed(`The file ${resolve(file)} cannot be read: ${reasonOf(error)}.`, EXIT_USAGE)
  }
}

/** Returns all bytes of a stream. It stops reading at the size that a store refuses. */
async function readAll(stream: AsyncIterable<Uint8Array>, sourceName: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes <= BODY_BYTES_MAX) continue
    throw new CommandFailed(
      `${sourceName} has more than ${BODY_BYTES_MAX} bytes, the most that a store accepts.`,
      EXIT_USAGE,
    )
  }
  return Buffer.concat(chunks)
}
