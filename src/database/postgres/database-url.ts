/** Where a PostgreSQL database is, and how to connect to it. */
export interface DatabaseAddress {
  /** In the order of the URL. */
  readonly hosts: readonly DatabaseHost[]
}

export interface DatabaseHost {
  readonly url: string
  /** `host:port`, for messages. */
  readonly name: string
  readonly sslMode: SslMode
  /** The file with the certificate of the authority that signed the certificate of the host. */
  readonly rootCertificate: string | null
  /** Returns the password, instead of the one in the URL. */
  readonly passwordOf: (() => string) | undefined
}

/** The form of an address of PostgreSQL, for messages. */
export const URL_FORM = 'postgres://user:password@host:5432/name'

/** Parameters in the URLs of Prisma, Supabase and Neon that are not for the server. `schema` becomes `search_path`. */
const FOR_OTHER_CLIENTS = [
  'schema',
  'pgbouncer',
  'connection_limit',
  'pool_timeout',
  'connect_timeout',
  'socket_timeout',
  'statement_cache_size',
  'sslaccept',
  'channel_binding',
  'supa',
]

const PORT = '5432'
const NO_HOST = 'it has no valid host; in a password, characters such as / and @ must be percent-encoded.'
const NOT_ENCODED =
  'its user, password, host or database has characters that must be percent-encoded, such as %25 for %.'
const CONNECTION_URL = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^@/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/i
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]]+)?(?::(\d{1,5}))?$/i

/**
 * Returns the address in a connection URL of PostgreSQL (libpq, section 34.1.1.2), in which several hosts may be
 * separated by commas. The certificate of a host that is not on this machine is verified, unless `sslmode` says
 * otherwise. `passwordOf` overrides the password of the URL. It is called for each connection, so the password may
 * change. Throws an Error with a sentence about what is wrong, without the password.
 */
export function parseDatabaseUrl(text: string, passwordOf?: () => string): DatabaseAddress {
  const [, scheme, user, authority = '', path = '', query = ''] = CONNECTION_URL.exec(text) ?? []
  if (/^["'\s]|["'\s]$/.test(text)) throw new Error('it must not begin or end with a quote or a blank.')
  if (scheme === undefined) {
    const isPassword = /^postgres(ql)?:\/\/.*#/i.test(text)
    throw new Error(
      isPassword ? 'it has a #: write %23 in a password.' : `it must be a URL such as ${URL_FORM}.`,
    )
  }
  if (!isPercentEncoded(`${user ?? ''}${path}`)) throw new Error(NOT_ENCODED)
  const parameters = new URLSearchParams(query)
  const certificate = parameters.get('sslrootcert')
  // The authorities that the system trusts (libpq, section 34.1.2): those are the default here too.
  const isSystem = certificate === 'system'
  const rootCertificate = isSystem ? null : certificate
  const mode = parameters.get('sslmode') ?? (isSystem ? 'verify-full' : null)
  if (mode !== null && !isSslMode(mode)) throw new Error(`sslmode must be one of ${sslModes.join(', ')}.`)
  if (isSystem && mode !== 'verify-full')
    throw new Error('with sslrootcert=system, sslmode must be verify-full.')
  if (parameters.get('pgbouncer') === 'true')
    throw new Error(
      'pgbouncer=true is for a pooler: use the address of PostgreSQL itself, often with port 5432.',
    )
  const schema = parameters.get('schema')
  if (schema !== null) parameters.set('search_path', schema)
  for (const name of ['sslmode', 'sslrootcert', 'target_session_attrs', ...FOR_OTHER_CLIENTS])
    parameters.delete(name)
  const rest = parameters.size === 0 ? '' : `?${parameters}`
  const hosts = authority.split(',').map((host): DatabaseHost => {
    const [, hostname = 'localhost', port = PORT] = HOST.exec(host) ?? []
    const isMissing = host === '' && authority !== ''
    // The text may be a part of the password, so it is not in the message.
    if (isMissing || !HOST.test(host) || Number(port) > 65_535) throw new Error(NO_HOST)
    const url = `${scheme}${user === undefined ? '' : `${user}@`}${hostname}:${port}${path}${rest}`
    if (!URL.canParse(url)) throw new Error(NOT_ENCODED)
    const sslMode = mode ?? (isLocal(hostname, parameters) ? 'disable' : 'verify-full')
    return { url, name: `${hostname}:${port}`, sslMode, rootCertificate, passwordOf }
  })
  return { hosts }
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/**
 * Returns whether a text is the address of a database in any form: a URL, a JDBC URL, `user:password@host`, or a list
 * such as `host=127.0.0.1 password=...`. It is no path, and no message may repeat it, because of its password.
 */
export function isDatabaseAddress(text: string): boolean {
  return isAddress.test(text) || hasMembers.test(text)
}

const isAddress = /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:jdbc|postgres|postgresql):|[^\s/:@]*:[^\s/@]*@)/i
const hasMembers = /(?:^|[\s;?&])(?:host|server|data source|dbname|password|pwd)\s*=/i

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof sslModes)[number]

function isSslMode(text: string): text is SslMode {
  return sslModes.some(mode => mode === text)
}

/** Returns whether a host is this machine, so that nobody can intercept the connection. */
function isLocal(hostname: string, parameters: URLSearchParams): boolean {
  // A host in the query is the directory of a Unix socket.
  const host = parameters.get('host') ?? parameters.get('path') ?? hostname
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host) || host.startsWith('/')
}
