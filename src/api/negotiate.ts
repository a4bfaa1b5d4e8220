import type { Operation } from '../contract/operation.ts'
import { StoreError } from '../model/error.ts'

/** The two media types that answers have: resources are JSON, refusals are JSON or RFC 9457 problems. */
export type MediaType = 'application/json' | 'application/problem+json'

/** Throws `not_acceptable` when Accept (RFC 9110, section 12.5.1) excludes what the operation answers. */
export function refuseUnacceptable(headers: Headers, { success }: Operation): void {
  const accept = headers.get('accept')
  const type = 'stream' in success ? 'text/event-stream' : 'application/json'
  if (accept === null || accept === '*/*' || quality(accept, type) > 0) return
  throw new StoreError('not_acceptable', `Answers are ${type}, which Accept excludes.`)
}

/** Refusals go out as a problem only to who asks for that by name. */
export function errorMediaType(headers: Headers): MediaType {
  const accept = headers.get('accept')
  if (accept === null || !accept.includes('application/problem+json')) return 'application/json'
  return quality(accept, 'application/problem+json') > 0 ? 'application/problem+json' : 'application/json'
}

/** The weight that an Accept field gives a type: that of its most specific range. */
function quality(accept: string, type: MediaType | 'text/event-stream'): number {
  const family = type.replace(/\/.*/, '/*')
  let best = { specificity: 0, weight: 0 }
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map(piece => piece.trim().toLowerCase())
    const specificity = range === type ? 3 : range === family ? 2 : range === '*/*' ? 1 : 0
    if (specificity <= best.specificity) continue
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
    best = { specificity, weight: weight === undefined ? 1 : Number(weight) || 0 }
  }
  return best.weight
}
