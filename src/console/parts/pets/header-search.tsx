import { type ComboboxItem, Select, type SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Client, Order, Pet } from '../../../client/petstore-client.ts'
import { nameText } from '../../data/name-text.ts'
import { findPets } from '../../data/pets.ts'
import { useCan, useSession } from '../../data/session-context.ts'
import { formatUnits } from '../generic/format.ts'
import { statusWord } from './shop-words.ts'

/** How long after the last letter a search starts, in milliseconds. */
const TYPING_MS = 200
const PETS_MAX = 8
const ORDERS_MAX = 5

/** A field that finds pets by the words of their names, and orders by the start of their reference, and opens one. */
export function HeaderSearch(props: Pick<SelectProps, 'visibleFrom' | 'hiddenFrom' | 'w' | 'mb'>) {
  const { client } = useSession()
  const can = useCan()
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const text = typed.trim()
  const [searched] = useDebouncedValue(text, TYPING_MS)
  const seesOrders = can('orders:read')
  const { data, isFetching } = useQuery({
    // The options change with the pets, and with the orders.
    queryKey: ['pets', 'everything', searched, seesOrders],
    queryFn: () => findAll(client, searched, seesOrders),
    enabled: searched !== '',
  })
  const isPending = searched !== text || isFetching
  const open = (path: string): void => {
    setTyped('')
    navigate(path)
  }
  const what = seesOrders ? 'Find a pet or an order' : 'Find a pet'
  return (
    <Select
      {...props}
      size="xs"
      searchable
      aria-label={what}
      placeholder={what}
      value={null}
      data={text === '' || isPending || !data ? [] : data}
      searchValue={typed}
      onSearchChange={setTyped}
      // The store has searched.
      filter={({ options }) => options}
      onChange={path => path !== null && open(path)}
      // Enter opens the first result. If there is none yet, the view of pets searches.
      onKeyDownCapture={event => {
        const isChoosing = event.currentTarget.hasAttribute('aria-activedescendant')
        if (event.key !== 'Enter' || text === '' || isChoosing) return
        event.preventDefault()
        event.stopPropagation()
        open(
          (isPending ? undefined : data?.[0]?.items[0]?.value) ?? `/pets?search=${encodeURIComponent(text)}`,
        )
      }}
      nothingFoundMessage={text === '' ? undefined : isPending ? 'Searching…' : 'Nothing found.'}
      rightSection={<span />}
    />
  )
}

interface OptionGroup {
  readonly group: string
  /** The value of an option is the path of its view. */
  readonly items: ComboboxItem[]
}

async function findAll(client: Client, text: string, seesOrders: boolean): Promise<OptionGroup[]> {
  const [pets, orders] = await Promise.all([
    findPets(client, text, { limit: PETS_MAX }),
    seesOrders ? client.listOrders({ referencePrefix: text, limit: ORDERS_MAX }) : undefined,
  ])
  const found = orders?.data.items ?? []
  return [
    ...(pets.length > 0 ? [{ group: 'Pets', items: pets.map(petOption) }] : []),
    ...(found.length > 0 ? [{ group: 'Orders', items: found.map(orderOption) }] : []),
  ]
}

function petOption(pet: Pet) {
  return { value: `/pets/${pet.id}`, label: `${nameText(pet.name, pet.id)} (${statusWord(pet)})` }
}

function orderOption({ id, reference = '', quantity }: Order) {
  return { value: `/orders/${id}`, label: `${reference}: order ${id}, ${formatUnits(quantity)}` }
}
