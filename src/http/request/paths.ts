/** A path of the routing table that matches a request, and its parameter values, percent-decoded. */
export interface Match {
  /** The path of the request in normal form. */
  readonly path: string
  /** The path in the table: `/pets/{petId}`, or `/console/*` for every path below `/console`. */
  readonly template: string
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * Returns the path of the table that is equivalent to a request path with percent-encoded letters, digits, `-`, `.`,
 * `_` or `~` (RFC 3986, section 6.2.2.2). Returns undefined if no path matches, and for a path in normal form, which
 * the router of the runtime has already looked up. Like that router, it prefers `/keys/current` to `/keys/{keyId}`.
 */
export function findEquivalent(templates: Iterable<string>, path: string): Match | undefined {
  const normal = normalPath(path)
  return normal === path ? undefined : findPath(templates, normal)
}

/** Returns the best match of a path in normal form; undefined if no path of the table matches it. */
export function findPath(templates: Iterable<string>, path: string): Match | undefined {
  const segments = path.split('/')
  let best: Match | undefined
  for (const template of templates) {
    const parameters = parametersOf(template.split('/'), segments)
    if (parameters && (!best || literalCount(template) > literalCount(best.template))) {
      best = { path, template, parameters }
    }
  }
  return best
}

/** Returns whether a path also matches another path of the table, as `/keys/{keyId}` matches `/keys/current`. */
export function matchesAnother(template: string, templates: Iterable<string>): boolean {
  const parts = template.split('/')
  return [...templates].some(
    other => other !== template && parametersOf(parts, other.split('/')) !== undefined,
  )
}

/** Returns the number of segments of a path that are neither a parameter nor the rest of the path. */
function literalCount(template: string): number {
  return template.split('/').filter(part => !part.startsWith('{') && part !== '*').length
}

/**
 * Returns the path that the client probably meant: `/store/orders` for `/orders` or `/store/order`; undefined if none
 * is similar.
 */
export function similarPath(templates: Iterable<string>, path: string): string | undefined {
  const requested = stems(path)
  let best: { template: string; length: number } | undefined
  for (const template of templates) {
    const known = stems(template)
    const length = commonEnd(requested, known)
    if (length > (best?.length ?? 0)) best = { template, length }
  }
  return best?.template
}

/** Returns a path with its encoded letters, digits, `-`, `.`, `_` and `~` decoded (RFC 3986, section 6.2.2.2). */
export function normalPath(path: string): string {
  return path.replaceAll(/%([0-9A-Fa-f]{2})/g, (encoded, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return /[\w.~-]/.test(character) ? character : encoded
  })
}

function parametersOf(
  template: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const hasRest = template.at(-1) === '*'
  if (hasRest ? segments.length < template.length : template.length !== segments.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, part] of template.entries()) {
    if (part === '*') return { ...parameters, '*': segments.slice(index).map(decodeSegment).join('/') }
    const segment = segments[index] ?? ''
    if (!part.startsWith('{')) {
      if (part !== segment) return undefined
    } else if (segment === '') {
      // Like the router of the runtime: no parameter is empty.
      return undefined
    } else {
      parameters[part.slice(1, -1)] = decodeSegment(segment)
    }
  }
  return parameters
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function stems(path: string): string[] {
  const segments = path.split('/').filter(segment => segment !== '')
  return segments.map(segment => segment.toLowerCase().replace(/ies$/, 'y').replace(/s$/, ''))
}

/**
 * Returns how many segments two paths share at their end, if one of the paths is the end of the other; otherwise 0. A
 * parameter matches any segment, and is not counted.
 */
function commonEnd(requested: readonly string[], known: readonly string[]): number {
  const length = Math.min(requested.length, known.length)
  let words = 0
  for (let back = 1; back <= length; back++) {
    const segment = known.at(-back) ?? ''
    if (segment.startsWith('{')) continue
    if (segment !== requested.at(-back)) return 0
    words++
  }
  return words
}
