import { stringify } from 'yaml'
import type { Part } from './openapi-schemas.ts'

/** Writes the description as YAML: what an older YAML would take for a date or a boolean is quoted. */
export function writeYaml(description: Part): string {
  return stringify(description, {
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
    blockQuote: 'literal',
    lineWidth: 0,
  })
}
