import { stringify } from 'yaml'
import type { Part } from './schemas.ts'

/** Returns the document as YAML. Values that YAML 1.1 parses as a date or a boolean are quoted. */
export function writeYaml(description: Part): string {
  return stringify(description, {
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
    blockQuote: 'literal',
    lineWidth: 0,
  })
}
