import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Pet } from '../../client/petstore-client.ts'
import { useSession } from '../data/store.ts'
import { formatCount } from './format.ts'

/** How long after the last letter a search starts, in milliseconds. */
const TYPING_MS = 250
/** The maximum number of pets in the list. */
const FOUND_MAX = 20

interface PetSelectProps {
  /** The id of the selected pet as text; empty if no pet is selected. */
  readonly value: string
  readonly onChange: (id: string) => void
  readonly error?: ReactNode
}

/** A field for a pet, by the start of its name. The list shows how many units of each pet are free. */
export function PetSelect({ value, onChange, error }: PetSelectProps) {
  const { client } = useSession()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS)
  const { data = [] } = useQuery({
    queryKey: ['pets', 'search', search],
    queryFn: async () => {
      const input = { include: 'stock' as const, limit: FOUND_MAX, ...(search !== '' && { name: search }) }
      return (await client.listPets(input)).data.items
    },
  })
  const [selected, setSelected] = useState<{ value: string; label: string }>()
  const found = data.map(({ id, name, quantity = 0n, reserved = 0n }) => ({
    value: String(id),
    label: `${nameIn(data, id, name)} (${formatCount(quantity - reserved)} free)`,
  }))
  // The selected pet stays in the list, whatever is typed.
  const options = selected && !found.some(one => one.value === selected.value) ? [selected, ...found] : found
  return (
    <Select
      label="Pet"
      placeholder="Start of a name"
      searchable
      required
      data-autofocus
      // The dialog opens with the focus here. An open list would hide the other fields.
      openOnFocus={false}
      data={options}
      filter={({ options: all }) => all}
      value={value === '' ? null : value}
      onChange={(id, option) => {
        setSelected(option ? { value: option.value, label: option.label } : undefined)
        onChange(id ?? '')
      }}
      onSearchChange={text => {
        if (!options.some(({ label }) => label === text)) setTyped(text)
      }}
      nothingFoundMessage="No pet name starts with this text."
      error={error}
    />
  )
}

/** Returns the name of a pet, with its id if another pet in the list has the same name. */
function nameIn(pets: readonly Pet[], id: bigint, name: string): string {
  return pets.some(other => other.id !== id && other.name === name) ? `${name}, pet ${id}` : name
}
