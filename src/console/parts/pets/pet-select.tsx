import type { ComboboxItem } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Pet } from '../../../client/petstore-client.ts'
import { hasBarcode } from '../../../values/barcode.ts'
import { findPets, findSimilarSearches } from '../../data/pets.ts'
import { useSession } from '../../data/session-context.ts'
import { t } from '../../words/sentences.tsx'
import { NameSelect } from '../generic/name-select.tsx'
import { formatCount } from '../names/format.ts'
import { petLabel } from '../names/pet-label.ts'
import { statusWord, unitsForSale } from '../names/shop-words.ts'

/** The maximum number of available pets in the list. */
const AVAILABLE_MAX = 20
/** The maximum number of other pets in the list, below the available ones. */
const OTHERS_MAX = 10

/** The members of a pet that its option shows. */
export type OrderedPet = Pick<Pet, 'id' | 'name' | 'price' | 'status' | 'quantity' | 'reserved'>

interface PetSelectProps {
  /** The pet that is selected when the field appears. */
  readonly first: OrderedPet | undefined
  /** The id of the selected pet as text; empty if no pet is selected. */
  readonly value: string
  /** Called with the pet as the search found it, unless it was the chosen one before. */
  readonly onChange: (id: string, pet?: OrderedPet) => void
  readonly error?: ReactNode
  /** Whether the field takes the focus when it appears in an open dialog. */
  readonly isNext?: boolean
  readonly takesScans?: boolean
  /** Called with the text of the field when the user types. */
  readonly onType?: (text: string) => void
}

/**
 * A field that finds a pet by its barcode or the words of its name. The list shows how many units of each pet are for
 * sale. Pets that cannot be ordered stay in the list, at its end: a user who looks for one must see why it cannot be
 * ordered.
 */
export function PetSelect(props: PetSelectProps) {
  const { first, value, onChange, error, isNext = false, takesScans = true, onType } = props
  const { client, key } = useSession()
  const [selected, setSelected] = useState(first && optionOf(first, []))
  return (
    <NameSelect<Pet>
      label={t('Pet')}
      placeholder={t('A word of the name, or a scan')}
      required
      autoFocus={isNext}
      onType={onType}
      takesScans={takesScans}
      data-autofocus={first === undefined || undefined}
      // The dialog opens with the focus here. An open list would hide the other fields.
      openOnFocus={false}
      resource="pets"
      search={async (text, signal) => {
        const [available, others] = await Promise.all([
          findPets(client, text, { status: ['available'], limit: AVAILABLE_MAX, signal }),
          findPets(client, text, { status: ['pending', 'sold'], limit: OTHERS_MAX, signal }),
        ])
        // A pet that is sold between the two reads is in both; a list with a pet twice ends the page.
        return [...new Map([...available, ...others].map(pet => [pet.id, pet])).values()]
      }}
      read={async name => {
        const [named, found] = await Promise.all([
          client.listPets({ name, include: 'stock' }),
          findPets(client, name, { limit: 1 }),
        ])
        return [...found.filter(pet => hasBarcode(pet, name)), ...named.data.items]
      }}
      findSimilar={text => findSimilarSearches(key, text)}
      optionOf={optionOf}
      value={value === '' ? null : value}
      chosen={selected}
      onSelect={(option, pet) => {
        setSelected(option ?? undefined)
        onChange(option?.value ?? '', pet)
      }}
      noneText={t('There is no pet yet.')}
      noMatchText={t('No word of a pet name starts with this.')}
      error={error}
    />
  )
}

/** Returns the option of a pet, with the units for sale, or why there are none. */
export function optionOf(pet: OrderedPet, all: readonly OrderedPet[]): ComboboxItem {
  return { value: String(pet.id), label: `${petLabel(pet, all)} (${stateOf(pet)})` }
}

/** Returns what matters for an order: the units for sale, or why there are none. */
function stateOf(pet: OrderedPet): string {
  return pet.status === 'available'
    ? t('{count} for sale', { count: formatCount(unitsForSale(pet)) })
    : statusWord(pet)
}
