import { join } from 'node:path'

/** Returns the file in which a host registers its sandboxes. A data directory with this file is that of a host. */
export function registryFile(directory: string): string {
  return join(directory, 'sandboxes.db')
}
