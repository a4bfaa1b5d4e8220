import { z } from 'zod'

/** The columns of a response, and the member whose items are its rows; without one, the response itself is the row. */
interface Rows {
  readonly columns: readonly string[]
  readonly list?: string
}

/**
 * Returns how a resource is a table. One with a single list of objects is a table of that list, with the other members
 * in each row: the totals of days, for example.
 */
export function rowsOf(schema: z.ZodType): Rows {
  const columns = columnsOf(schema)
  const members = schema instanceof z.ZodObject ? Object.entries(schema.shape) : []
  const lists = members.flatMap(([name, member]) =>
    member instanceof z.ZodArray && member.element instanceof z.ZodObject
      ? [{ name, item: member.element }]
      : [],
  )
  const [list, other] = lists
  if (!list || other) return { columns }
  const others = columns.filter(name => name !== list.name)
  return { columns: [...new Set([...columnsOf(list.item), ...others])], list: list.name }
}

/** Returns the names of the members that a resource can have, in the order of the contract. */
export function columnsOf(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return []
  const members = schema.options.flatMap(option =>
    option instanceof z.ZodObject ? Object.keys(option.shape) : [],
  )
  return [...new Set(members)]
}
