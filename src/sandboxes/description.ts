import type { Part } from '../openapi/schemas.ts'
export function describeControl(base: string): Part {
  return { base }
}
