import { stat } from 'node:fs/promises'

/** Returns the size of a file in bytes; 0 if it does not exist. */
export async function fileBytes(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  )
}
