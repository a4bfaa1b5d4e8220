import type { Deprecation, Stability } from '../contract/operation.ts'
import { StoreError } from '../model/error.ts'
import type { Exchange, Route } from './exchange.ts'

const ranks: Record<Stability, number> = { stable: 2, deprecated: 2, beta: 1, experimental: 0 }

/** Whether the operator's gate lets an operation be: what is below it has no route and no description. */
export function passesGate(stability: Stability, gate: 'stable' | 'beta' | 'experimental'): boolean {
  return ranks[stability] >= ranks[gate]
}

/**
 * Applies the stage of an operation: says it in header fields, ends it after its sunset, asks for the preview header.
 * Deprecation: RFC 9745. Sunset: RFC 8594. Throws `operation_sunset`, `preview_required`.
 */
export function applyLifecycle(
  exchange: Exchange,
  { id, operation }: Route,
  clockMs: number,
  base: string,
): void {
  const { stability, deprecation, preview } = operation
  if (stability === 'beta' || stability === 'experimental') exchange.headers['Petstore-Stability'] = stability
  if (deprecation) applyDeprecation(exchange, id, deprecation, clockMs, base)
  if (preview !== undefined && !previews(exchange).includes(preview)) {
    throw new StoreError(
      'preview_required',
      `${id} is experimental and may change: send Petstore-Preview: ${preview} to use it all the same.`,
      {
        errors: [
          {
            in: 'header',
            name: 'Petstore-Preview',
            code: 'required',
            message: `must name the feature ${preview}`,
          },
        ],
      },
    )
  }
}

function applyDeprecation(
  { headers, pathParameters }: Exchange,
  id: string,
  deprecation: Deprecation,
  clockMs: number,
  base: string,
): void {
  const { sunsetAtMs, successor, docs } = deprecation
  const fields = fixedFields(deprecation)
  headers.Deprecation = fields.deprecation
  headers.Sunset = fields.sunset
  headers.Link =
    `<${base}${successor(pathParameters)}>; rel="successor-version", ` +
    `<${base}${docs}>; rel="deprecation"; type="text/html", <${base}${docs}>; rel="sunset"; type="text/html"`
  // The sunset is the last second in which it answers.
  if (clockMs >= sunsetAtMs + 1000) {
    throw new StoreError(
      'operation_sunset',
      `${id} was retired on ${fields.sunset}; see its successor in Link.`,
    )
  }
}

const fixed = new WeakMap<Deprecation, { deprecation: string; sunset: string }>()

/** The fields that are the same on every answer, written once. */
function fixedFields(deprecation: Deprecation): { deprecation: string; sunset: string } {
  const known = fixed.get(deprecation)
  if (known) return known
  const { deprecatedAtMs, sunsetAtMs } = deprecation
  const fields = { deprecation: `@${deprecatedAtMs / 1000}`, sunset: new Date(sunsetAtMs).toUTCString() }
  fixed.set(deprecation, fields)
  return fields
}

function previews({ request }: Exchange): string[] {
  return (request.headers.get('petstore-preview') ?? '').split(',').map(name => name.trim())
}
