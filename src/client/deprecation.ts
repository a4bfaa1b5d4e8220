/** The announcement that an operation is going to be removed, from the headers of a response. */
export interface DeprecationNotice {
  readonly operationId: string
  /** The instant at which the operation was deprecated (RFC 9745). */
  readonly deprecatedAt: Date | undefined
  /** The last instant at which the operation works (RFC 8594). */
  readonly sunsetAt: Date | undefined
  /** The URL of the request that replaces the deprecated one. */
  readonly successor: string | undefined
  /** The URL of the page that explains the deprecation. */
  readonly documentation: string | undefined
}

/** Returns the deprecation notice in the headers of a response; undefined without a Deprecation or Sunset header. */
export function deprecationIn(operationId: string, headers: Headers): DeprecationNotice | undefined {
  const deprecation = headers.get('deprecation')
  const sunset = headers.get('sunset')
  if (deprecation === null && sunset === null) return undefined
  const seconds = /^@(-?\d{1,15})$/.exec(deprecation ?? '')?.[1]
  const sunsetMs = Date.parse(sunset ?? '')
  return {
    operationId,
    deprecatedAt: seconds === undefined ? undefined : new Date(Number(seconds) * 1000),
    sunsetAt: Number.isNaN(sunsetMs) ? undefined : new Date(sunsetMs),
    successor: linkIn(headers, 'successor-version'),
    documentation: linkIn(headers, 'deprecation'),
  }
}

/** Returns the target of the first link with a relation (RFC 8288); undefined if there is none. */
export function linkIn(headers: Headers, relation: string): string | undefined {
  for (const [, target, parameters = ''] of (headers.get('link') ?? '').matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted = '', bare = ''] = /;\s*rel=(?:"([^"]*)"|([^\s;,"]+))/.exec(parameters) ?? []
    if ([...quoted.split(' '), bare].includes(relation)) return target
  }
  return undefined
}
