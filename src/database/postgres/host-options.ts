import type { SQL } from 'bun'
import type { DatabaseHost } from './database-url.ts'

/** Returns the options of Bun's SQL client for a host. */
export function hostOptions(host: DatabaseHost): SQL.PostgresOrMySQLOptions {
  const { url, passwordOf } = host
  // Otherwise PGDATABASE in the environment would have priority over the URL.
  const database = decodeURIComponent(new URL(url).pathname.slice(1))
  return {
    url,
    bigint: true,
    tls: tlsOf(host),
    ...(database !== '' && { database }),
    ...(passwordOf && { password: passwordOf }),
  }
}

function tlsOf({ sslMode, rootCertificate }: DatabaseHost): SQL.PostgresOrMySQLOptions['tls'] {
  if (rootCertificate === null || sslMode === 'disable') return sslMode
  const ca = Bun.file(rootCertificate)
  if (sslMode === 'verify-full') return { ca }
  // As in libpq, a root certificate with another mode verifies the authority, but not the name of the host.
  return { ca, checkServerIdentity: () => undefined }
}
