import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProcess } from '../test/support/process.ts'

/** A well-formed key with a correct checksum, for a store that lives as long as the run. */
const ADMIN_KEY = 'pst_00000000000000000000000000000000000000000074DLXrg'

/**
 * The store that a run starts in a separate process. Disposing it stops the process and deletes its directory; a
 * PostgreSQL database keeps its data.
 */
export interface OwnStore extends AsyncDisposable {
  readonly url: string
  readonly key: string
}

/**
 * Starts a store without demo data on a free loopback port, on SQLite in a new directory or in the given PostgreSQL
 * database.
 */
export async function startOwnStore(databaseUrl: string | undefined): Promise<OwnStore> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-fuzz-'))
  const secretKeyFile = join(directory, 'key-of-the-run')
  writeFileSync(secretKeyFile, Buffer.alloc(32, 7).toString('base64'))
  const server = await startProcess(['serve', '--no-demo'], {
    PETSTORE_DATA: directory,
    PETSTORE_PORT: '0',
    PETSTORE_ADMIN_KEY: ADMIN_KEY,
    PETSTORE_SECRET_KEY_FILE: secretKeyFile,
    PETSTORE_ALLOW_PRIVATE_WEBHOOKS: 'true',
    PETSTORE_RATE_LIMIT: 'off',
    PETSTORE_CACHE: 'verify',
    PETSTORE_LOG_LEVEL: 'error',
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  })
  // On a signal, only the store is killed. The remaining requests then fail at once, so the run ends soon and deletes
  // the directory.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.kill('SIGKILL'))
  return {
    url: server.base,
    key: ADMIN_KEY,
    [Symbol.asyncDispose]: async () => {
      await server.kill('SIGTERM')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
