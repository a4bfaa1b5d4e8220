import { z } from 'zod'

/** Returns the names of the members that a resource can have, in the order of the contract. */
export function columnsOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return []
  const members = schema.options.flatMap(option =>
    option instanceof z.ZodObject ? Object.keys(option.shape) : [],
  )
  return [...new Set(members)]
}
