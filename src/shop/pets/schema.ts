import { z } from 'zod'
import { int64 } from '../../values/int64-schema.ts'
import { text } from '../../values/text-schema.ts'
import { amount } from '../kernel/amount-schema.ts'
import { barcode as barcodeText } from '../kernel/barcode-schema.ts'
import { NAME_CHARS_MAX } from '../kernel/limits.ts'
import { PetStatus } from '../stock/schema.ts'
import { PET_STATUS_DEFAULT } from '../stock/status.ts'
import { stockUnits } from '../stock/stock-units.ts'

const petMembers = {
  name: text(1, NAME_CHARS_MAX).meta({ description: 'The name of the pet.', example: 'Biscuit (Beagle)' }),
  categoryId: int64.meta({ description: 'The category of the pet; it must exist.', example: 1 }),
  status: PetStatus,
}
const price = amount.meta({
  description: 'The price of one unit, in minor units of the currency of the store, such as cents.',
  example: 69000,
})
const barcode = barcodeText.meta({
  description:
    'What a scanner reads from the pet or its label, such as an EAN, a GTIN or a UPC. Only one pet has it; a number of GS1 is the same with zeros before it. 1 to 64 printable ASCII characters, without blanks at the ends.',
  example: '4006381333931',
})
const petId = int64.meta({ description: 'Assigned by the store.', example: 3 })

export const NewPet = z
  .strictObject({
    ...petMembers,
    status: PetStatus.optional(),
    price: price.optional(),
    barcode: barcode.optional(),
  })
  .meta({
    id: 'NewPet',
    description: `The pet to create. It starts with one unit in stock, or with none if its status is \`sold\`. The unit of a \`pending\` pet is on hold. The default status is \`${PET_STATUS_DEFAULT}\`.`,
    example: { name: 'Juniper (Whippet)', categoryId: 1, status: 'available', price: 45000 },
  })
export type NewPet = z.output<typeof NewPet>

const includedStock = {
  quantity: stockUnits.optional().meta({
    description:
      'Units on hand, as in InventoryItem. Present only in a list that was requested with `include=stock`.',
    example: 12,
  }),
  reserved: stockUnits.optional().meta({
    description:
      'Units reserved for open orders, as in InventoryItem. Present only in a list that was requested with `include=stock`.',
    example: 1,
  }),
}

export const Pet = z
  .object({
    ...petMembers,
    status: PetStatus.optional(),
    id: petId,
    price: price.optional(),
    barcode: barcode.optional(),
    ...includedStock,
  })
  .meta({
    id: 'Pet',
    description: 'A pet in the catalogue. The server always sends its status.',
    example: { id: 3, name: 'Biscuit (Beagle)', categoryId: 1, status: 'available', price: 69000 },
  })
export type Pet = z.output<typeof Pet>

export const PetInclude = z.enum(['stock']).meta({
  id: 'PetInclude',
  description: 'What a list of pets includes in each pet: its stock, as `quantity` and `reserved`.',
  example: 'stock',
})

// No operation refers to it: the description of a list names it by its id.
z.array(Pet).meta({
  id: 'Pets',
  description: 'A page of pets.',
  maxItems: 100,
  example: [{ id: 3, name: 'Biscuit (Beagle)', categoryId: 1, status: 'available', price: 69000 }],
})

/** A text for the search of pets. The operation that returns it is not in the description. */
export const SimilarSearch = z.object({ search: z.string() })
export type SimilarSearch = z.output<typeof SimilarSearch>

export const PetPatch = z
  .strictObject({ ...petMembers, price: price.nullable(), barcode: barcode.nullable() })
  .partial()
  .extend({ id: petId.meta({ readOnly: true }).optional() })
  .meta({
    id: 'PetPatch',
    description:
      'A JSON Merge Patch (RFC 7396) for a pet. `id` may be sent only with its current value. `null` removes the price or the barcode.',
    example: { status: 'pending' },
  })
export type PetPatch = z.output<typeof PetPatch>
