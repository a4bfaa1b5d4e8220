import { z } from 'zod'
import { int64 } from '../../values/int64-schema.ts'
import { text } from '../../values/text-schema.ts'
import { NAME_CHARS_MAX } from '../kernel/limits.ts'

const name = text(1, NAME_CHARS_MAX).meta({ description: 'The name of the category.', example: 'Dogs' })
const description = text(0, 2000).meta({
  description: 'What belongs in the category.',
  example: 'Hobs and jills, handled daily.',
})
const categoryId = int64.meta({ description: 'Assigned by the store.', example: 1 })

export const NewCategory = z.strictObject({ name, description: description.nullable().optional() }).meta({
  id: 'NewCategory',
  description: 'The category to create.',
  example: { name: 'Ferrets', description: 'Hobs and jills, handled daily.' },
})
export type NewCategory = z.output<typeof NewCategory>

export const Category = z.object({ name, description: description.optional(), id: categoryId }).meta({
  id: 'Category',
  description: 'A category in the catalogue.',
  example: {
    id: 1,
    name: 'Dogs',
    description:
      'Dogs over six months old, vaccinated, microchipped and seen by a vet. Allow time for at least two visits before taking one home.',
  },
})
export type Category = z.output<typeof Category>

export const CategoryPatch = NewCategory.partial()
  .extend({ id: categoryId.meta({ readOnly: true }).optional() })
  .meta({
    id: 'CategoryPatch',
    description: 'A JSON Merge Patch (RFC 7396) for a category. `description: null` removes the description.',
    example: { description: null },
  })
export type CategoryPatch = z.output<typeof CategoryPatch>
