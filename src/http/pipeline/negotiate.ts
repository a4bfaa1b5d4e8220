import { notAcceptable } from '../../contract/refusals.ts'

const PROBLEM = 'application/problem+json'

/** The two media types with JSON: resources are plain JSON, errors are plain JSON or RFC 9457 problems. */
type MediaType = 'application/json' | 'application/problem+json'

type SuccessType = 'application/json' | 'text/event-stream' | 'application/gzip'

/**
 * Throws `not_acceptable` if Accept (RFC 9110, section 12.5.1) excludes the media type of the response. A request
 * that names the problem media type also accepts the normal media type of a success.
 */
export function refuseUnacceptable(headers: Headers, operation: { success: object }): void {
  const type = mediaTypeOf(operation)
  if (!accepts(headers, type)) throw notAcceptable(type)
}

/** Returns the media type of the successful responses of an operation. */
function mediaTypeOf({ success }: { success: object }): SuccessType {
  if ('file' in success) return 'application/gzip'
  return 'stream' in success ? 'text/event-stream' : 'application/json'
}

/** Returns whether Accept allows a media type for a success. */
export function accepts(headers: Headers, type: SuccessType): boolean {
  const accept = headers.get('accept')
  // Most clients send no Accept, `*/*`, or exactly this type. Only other values are parsed.
  if (accept === null || accept === '*/*' || accept === type) return true
  return quality(accept, type) > 0 || namesProblemType(accept)
}

/** Returns the media type of errors: a problem only for clients that ask for it by name. */
export function errorMediaType(headers: Headers): MediaType {
  const accept = headers.get('accept')
  return accept !== null && namesProblemType(accept) ? PROBLEM : 'application/json'
}

/** Returns whether a client takes a page where it asked for something that does not exist, as browsers do. */
export function acceptsPage(headers: Headers): boolean {
  const accept = headers.get('accept')
  return accept === null || accept === '*/*' || namesPage(headers)
}

/** Returns whether a client asks for a page by name. */
export function namesPage(headers: Headers): boolean {
  const accept = headers.get('accept') ?? ''
  return accept.toLowerCase().includes('text/html') && quality(accept, 'text/html') > 0
}

function namesProblemType(accept: string): boolean {
  return accept.toLowerCase().includes(PROBLEM) && quality(accept, PROBLEM) > 0
}

/** Returns the weight of a type in an Accept header: the weight of the most specific range for it, or 0. */
function quality(accept: string, type: MediaType | SuccessType | 'text/html'): number {
  const family = type.replace(/\/.*/, '/*')
  let best = { specificity: 0, weight: 0 }
  for (const { value, weight } of weightedValues(accept)) {
    const specificity = value === type ? 3 : value === family ? 2 : value === '*/*' ? 1 : 0
    if (specificity > best.specificity) best = { specificity, weight }
  }
  return best.weight
}

/** Returns the values of a header such as Accept, in lower case, with their weights (RFC 9110, section 12.4.2). */
export function weightedValues(header: string): { readonly value: string; readonly weight: number }[] {
  return header.split(',').map(part => {
    const [value = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
    return { value, weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
}
