import type { SQL } from 'bun'
import type { DatabaseHost } from '../model/database-url.ts'

/** Returns the options of Bun's SQL client for a host. */
export function hostOptions({
  url,
  sslMode,
  rootCertificate,
  passwordOf,
}: DatabaseHost): SQL.PostgresOrMySQLOptions {
  return {
    url,
    bigint: true,
    tls: rootCertificate === null || sslMode === 'disable' ? sslMode : { ca: Bun.file(rootCertificate) },
    ...(passwordOf && { password: passwordOf }),
  }
}
