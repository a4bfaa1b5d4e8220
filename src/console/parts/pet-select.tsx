import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Pet } from '../../client/petstore-client.ts'
import { useSession } from '../data/store.ts'
import { useChoiceByName } from './choice-by-name.ts'
import { formatCount } from './format.ts'

/** How long after the last letter a search starts, in milliseconds. */
const TYPING_MS = 250
/** The maximum number of available pets in the list. */
const AVAILABLE_MAX = 20
/** The maximum number of other pets in the list, below the available ones. */
const OTHERS_MAX = 10

/** The members of a pet that its option shows. */
export type OrderedPet = Pick<Pet, 'id' | 'name' | 'status' | 'quantity' | 'reserved'>

interface PetSelectProps {
  /** The pet that is selected when the field appears. */
  readonly first: OrderedPet | undefined
  /** The id of the selected pet as text; empty if no pet is selected. */
  readonly value: string
  readonly onChange: (id: string) => void
  readonly error?: ReactNode
}

/**
 * A field that finds a pet by the start of its name. The list shows how many units of each pet are free. Pets that
 * cannot be ordered stay in the list, at its end: a user who looks for one must see why it cannot be ordered.
 */
export function PetSelect({ first, value, onChange, error }: PetSelectProps) {
  const { client } = useSession()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS)
  const { data = [] } = useQuery({
    queryKey: ['pets', 'search', search],
    queryFn: async () => {
      const input = { include: 'stock' as const, ...(search !== '' && { name: search }) }
      const [available, others] = await Promise.all([
        client.listPets({ ...input, status: ['available'], limit: AVAILABLE_MAX }),
        client.listPets({ ...input, status: ['pending', 'sold'], limit: OTHERS_MAX }),
      ])
      return [...available.data.items, ...others.data.items]
    },
  })
  const [selected, setSelected] = useState(first && optionOf(first, []))
  const onBlur = useChoiceByName<Pet>({
    resource: 'pets',
    chosenText: selected?.label,
    read: async name => (await client.listPets({ name, include: 'stock' })).data.items,
    onChoose: pet => {
      setSelected(optionOf(pet, []))
      onChange(String(pet.id))
    },
  })
  const found = data.map(pet => optionOf(pet, data))
  // The selected pet stays in the list, whatever is typed.
  const options =
    selected && !found.some(({ value: id }) => id === selected.value) ? [selected, ...found] : found
  return (
    <Select
      label="Pet"
      placeholder="Start of the name"
      searchable
      required
      data-autofocus={first === undefined || undefined}
      // The dialog opens with the focus here. An open list would hide the other fields.
      openOnFocus={false}
      data={options}
      filter={({ options: all }) => all}
      value={value === '' ? null : value}
      onChange={(id, option) => {
        setSelected(option ? { value: option.value, label: option.label } : undefined)
        onChange(id ?? '')
      }}
      onBlur={onBlur}
      onSearchChange={text => {
        if (!options.some(({ label }) => label === text)) setTyped(text)
      }}
      nothingFoundMessage={search === '' ? 'There is no pet yet.' : 'No pet name starts with this text.'}
      error={error}
    />
  )
}

/** Returns the option of a pet. Its label contains the id if another pet in the list has the same name. */
function optionOf(pet: OrderedPet, all: readonly OrderedPet[]): { value: string; label: string } {
  const { id, name } = pet
  const isShared = all.some(other => other.id !== id && other.name === name)
  return { value: String(id), label: `${name}${isShared ? ` – pet ${id}` : ''} (${stateOf(pet)})` }
}

/** Returns what matters for an order. The free units of a pet that is not available cannot be ordered. */
function stateOf({ status, quantity = 0n, reserved = 0n }: OrderedPet): string {
  if (status === 'sold') return 'sold'
  if (status === 'pending') return quantity > reserved ? 'on hold' : 'all reserved'
  return `${formatCount(quantity - reserved)} free`
}
