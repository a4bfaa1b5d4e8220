import type { Deprecation, Operation, Stability } from '../../contract/operation.ts'
import { operationSunset, previewRequired } from '../../contract/refusals.ts'
import type { RequestContext, Route } from '../request/request-context.ts'

const ranks: Record<Stability, number> = { stable: 2, deprecated: 2, beta: 1, experimental: 0 }

/**
 * Returns whether an operation passes the gate of PETSTORE_STABILITY. If not, the operation has no route and is not in
 * the description.
 */
export function passesGate(
  { stability = 'stable' }: Operation,
  gate: 'stable' | 'beta' | 'experimental',
): boolean {
  return ranks[stability] >= ranks[gate]
}

/**
 * Sets the headers that announce the stage of an operation, on every response to a request for it. Deprecation: RFC
 * 9745. Sunset: RFC 8594.
 */
export function announceLifecycle(
  { headers, pathParameters }: RequestContext,
  { operation }: Route,
  base: string,
): void {
  const { stability, deprecation } = operation
  if (stability === 'beta' || stability === 'experimental') headers['Petstore-Stability'] = stability
  if (!deprecation) return
  const { deprecated, sunset } = fixedFields(deprecation)
  const docs = base + deprecation.docs
  headers.Deprecation = deprecated
  headers.Sunset = sunset
  headers.Link =
    `<${base}${deprecation.successor(pathParameters)}>; rel="successor-version", ` +
    `<${docs}>; rel="deprecation"; type="text/html", <${docs}>; rel="sunset"; type="text/html"`
}

/** Returns when `enforceLifecycle` begins to refuse an operation, in ms since 1970; Infinity if it has no sunset. */
export function worksUntilMs({ deprecation }: Operation): number {
  // The sunset is the last second in which the operation works.
  return deprecation ? deprecation.sunsetAtMs + 1000 : Infinity
}

/**
 * Throws `operation_sunset` if the sunset of the operation has passed, and `preview_required` if the operation has a
 * preview feature that Petstore-Preview does not name.
 */
export function enforceLifecycle(context: RequestContext, { id, operation }: Route, clockMs: number): void {
  const { deprecation, preview } = operation
  if (deprecation && clockMs >= worksUntilMs(operation)) {
    const { sunset } = fixedFields(deprecation)
    throw operationSunset(id, sunset)
  }
  if (preview === undefined || previews(context).includes(preview)) return
  throw previewRequired(id, preview)
}

const fixed = new WeakMap<Deprecation, { deprecated: string; sunset: string }>()

/** Returns the headers that are the same on every response; computed once. */
function fixedFields(deprecation: Deprecation): { deprecated: string; sunset: string } {
  const known = fixed.get(deprecation)
  if (known) return known
  const { deprecatedAtMs, sunsetAtMs } = deprecation
  const fields = { deprecated: `@${deprecatedAtMs / 1000}`, sunset: new Date(sunsetAtMs).toUTCString() }
  fixed.set(deprecation, fields)
  return fields
}

function previews({ request }: RequestContext): string[] {
  return (request.headers.get('petstore-preview') ?? '').split(',').map(name => name.trim())
}
